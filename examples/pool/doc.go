// Command pool makes small pictures of large ones in a pool of workers that is put together from
// the lower layers, without a task graph: take the files that you need.
//
//   - pool.go: workers that sleep while there is nothing to do, and take what is urgent first: a
//     lockfree.PriorityQueue and a sleepevent.Group.
//   - future.go: a result that is not there yet, with functions to be called when it is: a
//     lockfree.ClosableList.
//   - buffers.go: memory that is used again, up to a bound: a lockfree.Ring.
//   - log.go: lines that one goroutine writes and another one prints: a lockfree.SPSCQueue, and a
//     sleepevent.Signal.
//
// The pictures in view are urgent. What is printed is how many of those were ready before how many
// of the others, and a checksum of all.
//
//	go -C examples run ./pool
package main
