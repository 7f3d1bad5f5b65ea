// Package parallel has the usual parallel algorithms over slices, on the workers of a
// taskgraph.System: [Map], [Reduce], [Scan], [Sort], loops whose participants have values of their
// own ([RangeWith], [RangeNew]), and a [Pipeline]. A loop as such is the system's: its ParallelFor.
//
//	sum, err := parallel.Reduce(sys, x, 0, add, add)
//
// The first argument says where: a *taskgraph.System anywhere, a *taskgraph.Context in the body of
// a task, a *taskgraph.Participant in a range of another loop. [With] adds what a taskgraph.Loop
// can say: the grain, background work, a limit.
//
// # What all have in common
//
// The caller takes part, and begins alone; what takes less time than others need to come is not
// shared, so small inputs cost about what a serial loop costs. A function that is passed in may be
// called by several goroutines at a time. All calls synchronize before the return.
//
// If a call panics, the algorithm ends early and returns a *graphevent.PanicError; if it ends its
// goroutine, graphevent.ErrGoexit, unless that goroutine was the caller's. When the context of a
// Context ends the algorithm returns graphevent.ErrCanceled. What it has written by then stays
// written.
//
// Slices that are written must not overlap others, but may be the same.
package parallel
