// Package parallel sorts, maps and reduces slices, for users of package taskgraph.
//
//	package main
//
//	import "context"
//	import "fmt"
//	import "log"
//	import "math/rand/v2"
//	import "github.com/heddle-go/heddle/taskgraph"
//	import "github.com/heddle-go/heddle/taskgraph/parallel"
//
//	func main() {
//		sys := taskgraph.Start(taskgraph.Options{})
//		x := rand.Perm(1_000_001) // the numbers from 0 to a million, shuffled
//		if err := parallel.Sort(sys, x); err != nil {
//			log.Fatal(err)
//		}
//		fmt.Println("median:", x[len(x)/2])
//		if err := sys.Shutdown(context.Background()); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// It prints:
//
//	median: 500000
//
// The algorithms run on the workers of a taskgraph.System. [Map], [Reduce], [Scan] and [Sort] are
// the usual algorithms. [RangeWith] and [RangeNew] are loops in which each participant has a value
// for itself. A [Pipeline] takes values through stages. For a plain loop call ParallelFor of the
// system.
//
// The first argument says where an algorithm runs: a *taskgraph.System anywhere, a
// *taskgraph.Context in the body of a task, a *taskgraph.Participant in a range of another loop.
// [With] adds options of a taskgraph.Loop: the grain, background work, a limit.
//
// # Common rules
//
// The caller takes part, except in a [Pipeline] that is not called by a task. It begins alone. A
// loop that would end before help arrives is not shared, so a small input costs about what a
// serial loop costs. Several goroutines may call a function argument at the same time. All these
// calls synchronize before the algorithm returns.
//
// If a function argument panics, the algorithm ends early and returns a *graphevent.PanicError. If
// it ends its goroutine, the algorithm returns graphevent.ErrGoexit, unless that goroutine was the
// caller's. If the algorithm runs on a Context whose context ends, it returns
// graphevent.ErrCanceled. What it has written by then stays written.
//
// A slice that is written may be the same as another argument. Otherwise they must not overlap.
package parallel
