// Package pace finds out whether the runs of a graph are over sooner alone, hidden from thieves, or
// shared with whoever comes. A second worker can make the run of a graph of tiny tasks longer: what
// they touch goes to and fro between processors, which takes longer than they do. So a graph tries
// both for its short runs. Each trial measures some runs of both ways; the longer the answer stays
// the same, the less often it tries again.
//
// Only runs are tried whose bodies know of no context, so that none spawns or waits where it would
// be hidden; the caller knows which.
package pace
