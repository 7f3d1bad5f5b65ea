// Package lockfree provides containers that goroutines share without locks: a stack, queues
// with and without priorities, a work-stealing deque, a list that closes in one step, and a
// queue whose consumers may go to sleep on it.
//
// All of them work from their zero value or from one constructor, must not be copied after
// first use, never block and never start a goroutine. In steady state no operation
// allocates, and what was taken out is not kept alive. Len and Empty report a past moment:
// they are hints for statistics and heuristics, not answers to build a protocol on.
//
// # Which one
//
//   - Stack: last in, first out; the cheapest way to hand out interchangeable things.
//   - Queue: first in, first out, any number of producers and consumers.
//   - PriorityQueue: one Queue a level, the highest level first.
//   - Deque: one owner works at one end, thieves take from the other.
//   - ClosableList: collects registrations until it is closed, which takes them all.
//   - StallingQueue: a PriorityQueue that knows which of its consumers sleep, and tells each
//     producer whom to wake.
//
// # Memory model
//
// Putting a value in synchronizes before the return of the call that takes it out. Nothing
// else is promised, unless a type says so.
package lockfree
