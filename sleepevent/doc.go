// Package sleepevent lets idle workers sleep and wakes them without losing a wake-up. It is for
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
// A [Signal], as in the program, is an auto-reset event for one waiter. [Signal.Trigger] sets the
// Signal. [Signal.Wait] returns when the Signal is set, and resets it. So a Trigger before the Wait
// is not lost.
//
// A [Group] lets the workers of a pool sleep. The pool keeps its work in queues of any kind. A
// worker that finds them empty calls [Group.Idle]. Idle marks the worker idle and calls a function
// of the pool that looks for work once more. If it finds none, the worker drowses: it watches a
// word in memory for a short time. After that it sleeps in the kernel, or in the Go scheduler if
// [ParkGo] is chosen or the pool is very large (see [NewGroup]). The sleep has no time limit and no
// periodic wake-up. A goroutine that adds work calls [Group.Wake]. The call costs two loads if no
// worker is idle or if a worker is searching already. Otherwise it wakes one worker: a drowsing
// worker by a write to its word, a sleeping worker by a system call. The package example is a
// complete pool.
//
// README.md beside the code has the protocol and the argument that no wake-up is lost.
package sleepevent
