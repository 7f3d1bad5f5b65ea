// Package entry defines the entries of the queues of a task graph. An entry is a word of 32 bits,
// so a deque of entries is an array of words, and a queue need not look at what an entry stands
// for. An entry is a proposal: whoever has taken it still has to find out, depending on its kind,
// whether there is work to do.
//
// A new source of tasks is a new [Kind] here, whose entries somebody pushes, and cases in the file
// of package taskgraph that says what kinds mean: how what lies behind an entry is run and ended,
// and what it is called.
package entry
