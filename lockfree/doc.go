// Package lockfree provides containers that goroutines share without locks: a stack, queues
// with and without bounds and priorities, work-stealing deques, lists that close in one step,
// and queues whose consumers may go to sleep on them.
//
// All of them work from their zero value or from one constructor, must not be copied after first
// use, and never start a goroutine. None waits for anybody, except that a call of a Ring waits for
// another one that stopped half way. In steady state no operation allocates, except those of Queue,
// PriorityQueue and SPSCQueue that reach the end of a segment (their comments say how much garbage
// that is). Values that were taken out are not kept alive. Len and Empty report a past moment: they
// are hints for statistics and heuristics, not answers to build a protocol on.
//
// Where several values at once are cheaper than one after the other, there are calls for
// that: PushAll and PopN, or TryPushN and TryPopN where there may be no room. Drain returns an
// iterator for a range loop that takes whatever is there.
//
// # Which one
//
//   - Stack: last in, first out; the cheapest way to hand out interchangeable things.
//   - Queue: first in, first out, any number of producers and consumers.
//   - IndexQueue: a Queue of 32-bit indices, which uses its memory again.
//   - Ring: a Queue of a fixed capacity, which tells when it is full.
//   - SPSCQueue, SPSCRing: faster, for one producer and one consumer.
//   - PriorityQueue: one Queue a level, the highest level first.
//   - Deque: one owner works at one end, thieves take from the other.
//   - PointerDeque: a Deque of pointers instead of indices.
//   - ClosableList: collects registrations until it is closed, which takes them all.
//   - ClosableHead: a ClosableList without nodes, for objects that hold their own links.
//   - StallingQueue: any number of producers and two priorities; one owner, who takes all at
//     once, sleeps when there is nothing, and is told by each producer whether to be woken.
//
// # Memory model
//
// Putting a value in synchronizes before the return of the call that takes it out. Nothing
// else is promised, unless a type says so.
package lockfree
