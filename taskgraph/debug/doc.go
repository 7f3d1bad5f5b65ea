// Package debug serves a page that shows what a taskgraph.System does: its workers and threads,
// what waits for what, how long tasks wait for a worker, failures, and runs of graphs as lanes.
//
// The program mounts it where it likes, under a pattern that ends in a slash:
//
//	mux.Handle("/debug/heddle/", &debug.Handler{System: sys})
//
// It shows names of tasks, functions and files, and lets whoever can reach it start and stop the
// recorder. So it belongs where net/http/pprof does: on a server of its own that listens on
// loopback, or behind the program's own authentication. Importing the package registers nothing.
package debug
