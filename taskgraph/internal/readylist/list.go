package readylist

import (
	"math/bits"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Most is how many tasks a graph has at most whose runs use a List: Take looks at a word for each
// 64 of them.
const Most = 1 << 12

// A List holds the ready tasks of a run of a graph, and what it has learned from earlier runs. The
// zero List has learned nothing.
//
// # Concurrency
//
// Between Begin and End of a run that uses the list, any goroutine may call Put, Take, Best and
// Before, and Cost for a task that it has run. Each ready task is put at most once. A goroutine
// may call Take once for each ticket that it has got, where each Put is followed by the making of
// one ticket. No call overlaps with Begin, End, Settle or Drop. What was done before a Put
// synchronizes before the return of the Take or Best that returns its task.
//
// # Progress
//
// Put is wait-free. Take and Best are lock-free: one that has to look again was overtaken by
// another one. Begin allocates when a list is used for the first time.
type List struct {
	learner

	tasks []uint32         // by place: the tasks, the one of the highest rank first
	place []uint32         // by task
	words []atomics.Uint64 // a bit for each place: its task is ready, and nobody has taken it
}

// Put adds the ready task i.
func (l *List) Put(i uint32) {
	at := l.place[i]
	l.words[at/64].Or(1 << (at % 64)) // L1
}

// Take takes a ready task: the first, except that it may miss one that is put meanwhile.
func (l *List) Take() uint32 {
	for {
		for k := range l.words {
			for ready := l.words[k].Load(); ready != 0; {
				first := ready & -ready
				ready = l.words[k].And(^first) // L2
				if ready&first != 0 {
					return l.at(k, first)
				}
			}
		}
	}
}

// Best returns the task that one should run next who has the ready task i and has not put it: that
// one or, if another one is far more urgent, the other, in whose stead i is put. It takes and makes
// no ticket.
func (l *List) Best(i uint32) uint32 {
	for k := range l.words {
		if ready := l.words[k].Load(); ready != 0 {
			if first := l.at(k, ready&-ready); l.ranks[first] > l.ranks[i]+l.near {
				l.Put(i) // L3
				return l.Take()
			}
			break
		}
	}
	return i
}

// Before reports whether task i has a higher rank than task j.
func (l *List) Before(i, j uint32) bool { return l.ranks[i] > l.ranks[j] }

// Drop takes out what a run that was given up has left.
func (l *List) Drop() {
	for k := range l.words {
		l.words[k].Store(0)
	}
}

// at returns the task of a bit of word k.
func (l *List) at(k int, bit uint64) uint32 { return l.tasks[64*k+bits.TrailingZeros64(bit)] }
