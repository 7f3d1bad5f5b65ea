package lockfree

import (
	"fmt"
	"math/bits"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// The word of a StallingQueue: a bit for each stalled consumer, and above them a count of
// pushes and stalls.
const (
	stallBits = 26
	stallMask = 1<<stallBits - 1
	stallTick = 1 << stallBits
)

// A StallingQueue is a PriorityQueue that knows which of its consumers have stalled, that is,
// found nothing and decided to sleep. Each Push tells its caller whom to wake, so that neither
// a value nor a wake-up is lost and nobody is woken for nothing but in rare races.
//
// Make one with NewStallingQueue. It must not be copied. It does not block by itself: a
// consumer blocks on an event of its own after a Pop has returned PopStalled, and whoever is
// told that consumer's number triggers the event. Such an event must remember a trigger that
// comes before the wait.
//
// A consumer that leaves its wait for another reason, say a timeout, calls Unstall before
// anything else. If that reports a wake, the consumer either calls Pop again until it
// is empty, or it passes the wake on by waking the consumer that Wake names.
//
// # Concurrency
//
// Push, Wake, Len and Empty may be called by any goroutine; Pop and Unstall with a given
// consumer number by one goroutine at a time. A Push of v synchronizes before the return
// of the Pop that delivers v.
//
// # Progress
//
// Lock-free.
//
// # Cost
//
// A Push costs the Push of a Queue and one compare-and-swap on a word that all producers
// share; a Pop that finds a value writes nothing but that level's queue. The garbage is a Queue's.
//
// # Linearizability
//
// The values behave as those of a PriorityQueue. The stalled set changes in one step a call.
// A Push is two steps in this order: the value can be popped, then a consumer is chosen.
// PopStalled means that at the step that registered the consumer each value present belonged
// to a Push that had yet to choose.
type StallingQueue[T any] struct {
	//	63                                26 25          0
	//	[ count of pushes and stalls, mod 2^38 | stalled bits ]
	//
	//	T1 a Push appends its value before it changes the word.
	//	T2 a Pop reads the word before it scans, and stalls only by a swap against that.
	//	T3 each Push and each stall adds 1 to the count; a successful Pop and an Unstall do
	//	   not, since neither can make a past scan wrong.
	//	T4 a consumer's bit is set by itself alone, and cleared by itself or by one Push or
	//	   Wake, which then owes it a wake-up.
	//
	// The count may repeat only if 2^38 pushes happen inside one Pop. The argument is in
	// stallingqueue.md.

	_    cacheline.Pad
	word atomics.Uint64
	_    cacheline.Pad

	levels    levels[T]
	consumers int
}

// NewStallingQueue returns an empty StallingQueue with the given number of priorities, 1 to 65,536,
// and of consumers, 1 to 26. It panics if either is out of range.
func NewStallingQueue[T any](priorities, consumers int) *StallingQueue[T] {
	if priorities < 1 || priorities > maxLevels {
		panic(fmt.Sprintf("lockfree: StallingQueue with %d priorities, not 1 to %d", priorities, maxLevels))
	}
	if consumers < 1 || consumers > stallBits {
		panic(fmt.Sprintf("lockfree: StallingQueue with %d consumers, not 1 to %d", consumers, stallBits))
	}
	return &StallingQueue[T]{levels: make([]Queue[T], priorities), consumers: consumers}
}

// Push adds v at the end of the level priority, 0 the highest. If wake is not -1, a consumer
// of that number had stalled and the caller must wake it. Push panics if there is no such
// level.
func (q *StallingQueue[T]) Push(v T, priority int) (wake int) {
	q.levels.push(v, priority)
	for {
		w := q.word.Load()
		if q.word.CompareAndSwap(w, w&^lowestBit(w)+stallTick) { // LP(Push, wake)
			return lowestStalled(w)
		}
	}
}

// Pop removes the oldest value of the highest level that has one. If there is none, it
// returns PopEmpty, or if mayStall is set it registers the consumer as stalled and returns
// PopStalled. Pop panics if the consumer's number is out of range, or if the consumer
// is still registered as stalled.
func (q *StallingQueue[T]) Pop(consumer int, mayStall bool) (v T, r PopResult) {
	me := q.bit(consumer)
	for {
		w := q.word.Load() // before the scan
		if w&me != 0 {
			panic(fmt.Sprintf("lockfree: Pop by consumer %d, which is stalled", consumer))
		}
		v, seen, ok := q.levels.scan()
		switch {
		case ok:
			return v, PopOK
		case mayStall:
			if q.word.CompareAndSwap(w, (w|me)+stallTick) { // LP(Pop, stalled)
				return v, PopStalled
			}
		case q.levels.claimed() == seen: // LP(Pop, empty): the end of the scan
			return v, PopEmpty
		}
	}
}

// Unstall takes back the registration of a consumer whose last Pop returned PopStalled. It
// reports whether a Push or a Wake had done so already; then that wake-up is this consumer's
// to act on or to pass on with Wake, and the event may be triggered later still.
func (q *StallingQueue[T]) Unstall(consumer int) (woken bool) {
	me := q.bit(consumer)
	for {
		w := q.word.Load()
		if w&me == 0 { // LP(Unstall, woken)
			return true
		}
		if q.word.CompareAndSwap(w, w&^me) { // LP(Unstall)
			return false
		}
	}
}

// Wake chooses a stalled consumer without pushing anything. If wake is not -1, the caller must
// wake the consumer of that number.
func (q *StallingQueue[T]) Wake() (wake int) {
	for {
		w := q.word.Load()
		if w&stallMask == 0 { // LP(Wake, nobody)
			return -1
		}
		if q.word.CompareAndSwap(w, w&^lowestBit(w)) { // LP(Wake)
			return lowestStalled(w)
		}
	}
}

// Len returns the number of values at some past moment, each level at one of its own.
func (q *StallingQueue[T]) Len() int { return q.levels.len() }

// Empty reports whether each level held no value at some past moment of its own.
func (q *StallingQueue[T]) Empty() bool { return q.levels.empty() }

// bit returns the stalled bit of a consumer.
func (q *StallingQueue[T]) bit(consumer int) uint64 {
	if uint(consumer) >= uint(q.consumers) {
		panic(fmt.Sprintf("lockfree: consumer %d of %d", consumer, q.consumers))
	}
	return 1 << uint(consumer)
}

// lowestBit returns the lowest stalled bit of w, or 0.
func lowestBit(w uint64) uint64 {
	w &= stallMask
	return w & -w
}

// lowestStalled returns the number of the lowest stalled consumer in w, or -1.
func lowestStalled(w uint64) int {
	w &= stallMask
	if w == 0 {
		return -1
	}
	return bits.TrailingZeros64(w)
}
