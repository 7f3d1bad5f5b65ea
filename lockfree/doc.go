// Package lockfree provides stacks, queues, rings and work-stealing deques that goroutines share
// without locks. It is for programs that count microseconds, such as schedulers, games and audio.
//
//	package main
//
//	import "fmt"
//	import "slices"
//	import "strings"
//	import "sync"
//	import "github.com/heddle-go/heddle/lockfree"
//
//	func main() {
//		var words lockfree.Queue[string] // the zero Queue is empty and ready
//		var readers sync.WaitGroup
//		for _, line := range []string{"warp and weft", "reed and heddle"} {
//			readers.Go(func() { words.PushAll(strings.Fields(line)) })
//		}
//		readers.Wait()
//		fmt.Println(slices.Sorted(words.Drain()))
//	}
//
// It prints:
//
//	[and and heddle reed warp weft]
//
// The zero value of a type is ready to use, or the type has a constructor. A value must not be
// copied after first use. No type starts a goroutine. No call waits for another goroutine, with one
// exception: a call on a [Ring] may wait for another call on the same Ring to finish. In steady
// state no operation allocates, except that a [Queue], [PriorityQueue] or [SPSCQueue] may allocate
// when it reaches the end of a segment. Their comments say how much garbage that makes. A container
// does not keep a value alive that was taken out, except that a [PointerDeque] may keep a stolen
// value for a while. Len and Empty report a past moment: they are hints for statistics and
// heuristics. Do not build a protocol on them.
//
// Where it is cheaper to move several values at once, a type has PushAll and PopN, or TryPushN and
// TryPopN if it is bounded. Drain returns an iterator that takes values until the container is
// empty.
//
// # Which type to use
//
//   - [Stack]: last in, first out; the cheapest way to hand out interchangeable values.
//   - [Queue]: first in, first out, for any number of producers and consumers.
//   - [IndexQueue]: a Queue of 32-bit indices that reuses its memory.
//   - [Ring]: a Queue of fixed capacity that reports when it is full.
//   - [SPSCQueue], [SPSCRing]: faster, for one producer and one consumer.
//   - [PriorityQueue]: one Queue for each level of priority. The highest level comes first.
//   - [Deque]: holds indices. One owner works at one end, and thieves steal from the other.
//   - [PointerDeque]: a Deque of pointers instead of indices.
//   - [ClosableList]: collects registrations until it is closed. The call that closes it gets all
//     of them.
//   - [ClosableHead]: a ClosableList without nodes, for objects that hold their own links.
//   - [StallingQueue]: any number of producers, two priorities and one owner. The owner takes all
//     values of a priority at once and may sleep when there are none. Each push reports whether the
//     producer must wake the owner.
//
// # Memory model
//
// The call that puts a value in synchronizes before the return of the call that takes it out. The
// package promises no other order, unless a type says so.
package lockfree
