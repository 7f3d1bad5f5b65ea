// Package loopcost remembers what an element of each loop costs, by the code of the loop's body or
// in a cell of its own; when the next loop is measured; in which pieces a loop is run alone; and
// how much time went into loops that ran alone although together they were worth a helper. All of
// these are hints: what is lost when two goroutines write at a time is measured again.
package loopcost
