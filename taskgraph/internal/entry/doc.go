// Package entry says what lies in the queues of a task graph: words of 32 bits, so that a deque of
// them is an array of words, and taking one takes no look at what it stands for. An entry is a
// proposal: who has taken it still has to find out whether its work is there to be done, in the way
// of its kind.
//
// A new source of tasks is a new [Kind] here, whose entries somebody pushes, and cases in the file
// of package taskgraph that says what kinds mean: how what lies behind an entry is run and ended,
// and what it is called.
package entry
