// Package readylist is the ready list of list scheduling: the tasks of a graph's run that are
// ready, of which whoever is free takes the one with the longest way from its begin to the end of
// the graph. A List learns from runs whether the tasks are long enough for that, and how long each
// is.
//
// List scheduling is from R. L. Graham, "Bounds on multiprocessing timing anomalies" (SIAM J. Appl.
// Math. 17, 1969). The order is that of "highest levels first with estimated times" in T. L. Adam,
// K. M. Chandy and J. R. Dickson, "A comparison of list schedules for parallel processing systems"
// (CACM 17, 1974), which others call the upward rank.
package readylist
