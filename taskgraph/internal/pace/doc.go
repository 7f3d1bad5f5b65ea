// Package pace finds out whether the runs of a graph are faster alone, hidden from thieves, or
// shared. A second worker can make the run of a graph of tiny tasks longer, because their cache
// lines move to and fro between processors. So a graph tries both ways for its short runs. Each
// trial measures some runs of each way; the longer the answer stays the same, the rarer trials
// become.
//
// Only runs whose bodies take no Context are tried, so that no hidden body spawns or waits; the
// caller knows which these are.
package pace
