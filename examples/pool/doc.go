// Command pool makes thumbnails in a pool of workers that is built from Heddle's lower layers,
// without a task graph. Copy the files that you need:
//
//   - pool.go: workers that sleep while there is nothing to do, and run urgent work first. It uses
//     a lockfree.PriorityQueue and a sleepevent.Group.
//   - future.go: a result that arrives later, and calls functions when it does. It uses a
//     lockfree.ClosableList.
//   - buffers.go: a bounded store of buffers for reuse. It uses a lockfree.Ring.
//   - log.go: a log that one goroutine writes to and another prints. It uses a lockfree.SPSCQueue
//     and a sleepevent.Signal.
//
// The command requests the pictures that are in view after all others, but at a higher priority. It
// prints how early they were ready, with and without priorities, and how long all pictures took,
// compared with one thread:
//
//	go -C examples run ./pool
//
// The exit status is 0 if all ways made the same thumbnails, 1 if not or if a value is out of
// range, and 2 if the command line cannot be understood.
package main
