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
// the usual algorithms. [RangeWith] and [RangeNew] are loops that give each goroutine that takes
// part a value of its own. A [Pipeline] passes values through stages. For a plain loop, call
// ParallelFor of the system.
//
// The first argument says where you call an algorithm: pass the *taskgraph.Context in the body of a
// task, the *taskgraph.Participant in a range of another loop, and otherwise the *taskgraph.System.
// [With] adds options of a taskgraph.Loop: the grain, background work, a limit.
//
// # Common rules
//
// The caller takes part, except in a [Pipeline] that is not called by a task. It begins alone. A
// loop that would end before other workers can join stays on the caller, so a small input costs
// about what a serial loop costs. Several goroutines may call a function argument at the same time.
// All these calls synchronize before the algorithm returns.
//
// If a function argument panics, the algorithm ends early and returns a *graphevent.PanicError. If
// it calls runtime.Goexit, the algorithm returns graphevent.ErrGoexit, unless that ends the
// caller's own goroutine. If the algorithm runs on a Context that ends, it returns
// graphevent.ErrCanceled. What it has written by then stays written.
//
// A slice that is written may be the same slice as another argument, but must not otherwise overlap
// one.
package parallel
