// Package entry defines the entries of the queues of a task graph. An entry is a word of 32 bits,
// so a deque of entries is an array of words, and a queue need not look at what an entry stands
// for. An entry is a proposal: whoever has taken it still has to find out, depending on its kind,
// whether there is work to do.
//
// A new source of work is a new [Kind] here, and a case in each of the two switches of package
// taskgraph over kinds: one runs an entry, the other names it in traces.
package entry
