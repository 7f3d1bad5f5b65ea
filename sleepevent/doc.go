// Package sleepevent lets idle workers sleep and wakes them without losing a wake-up. It serves
// authors of schedulers, worker pools and event loops.
//
//	package main
//
//	import "fmt"
//	import "github.com/heddle-go/heddle/lockfree"
//	import "github.com/heddle-go/heddle/sleepevent"
//
//	func main() {
//		var mail lockfree.Queue[string]
//		var arrived sleepevent.Signal
//		send := func(s string) { mail.Push(s); arrived.Trigger() }
//		go func() { send("warp"); send("weft"); send("reed") }()
//		for read := 0; read < 3; {
//			arrived.Wait() // sleeps until there is mail
//			for s := range mail.Drain() {
//				fmt.Println(s)
//				read++
//			}
//		}
//	}
//
// It prints:
//
//	warp
//	weft
//	reed
//
// A [Signal], as in the program, is an auto-reset event for one waiter. [Signal.Trigger] sets it,
// and a wait that returns has reset it. So a trigger that comes before the wait is not lost.
//
// A [Group] serves a pool of workers that look for work in queues of their own. A worker that
// finds nothing calls [Group.Idle]. Idle publishes the worker as idle and looks for work once
// more. Then the worker drowses: it watches a word in memory for a short time. Then it sleeps in
// the kernel, or in the Go scheduler if [ParkGo] is chosen or the pool is very large (see
// [NewGroup]). The sleep has no time limit and no periodic wake-up. A goroutine that adds work
// calls [Group.Wake]. The call costs two loads if no worker is idle or if a worker is searching
// already. Otherwise it wakes one worker: a drowsing worker by a write to its word, a sleeping
// worker by a system call. The example of the package is a complete pool.
//
// README.md beside the code holds the protocol and the argument that no wake-up is lost.
package sleepevent
