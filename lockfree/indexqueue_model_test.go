//go:build modelcheck

package lockfree_test

import (
	"iter"
	"math"
	"testing"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelIndexQueue runs on rings so small that laps, closing and the next ring come within a
// few calls. Empty is to be believed, either way.
func TestModelIndexQueue(t *testing.T) {
	type queue = *lockfree.IndexQueue[uint32]
	wide := func(v uint32, ok bool) (int64, bool) { return int64(v), ok }
	drain := func(q queue) iter.Seq[int64] {
		return func(yield func(int64) bool) {
			for v := range q.Drain() {
				if !yield(int64(v)) {
					return
				}
			}
		}
	}
	s := modelcheck.Structure[queue]{
		Name: "IndexQueue",
		Ops: []modelcheck.Op[queue]{
			pushing("Push", modelcheck.Anyone, 5, func(q queue, v int64) bool {
				q.Push(uint32(v))
				return true
			}),
			popping("Pop", modelcheck.Anyone, 5, func(q queue) (int64, bool) {
				return wide(q.Pop())
			}),
			pushingN("PushAll", modelcheck.Anyone, 1, func(q queue, vs []int64) int {
				q.PushAll([]uint32{uint32(vs[0]), uint32(vs[1])})
				return len(vs)
			}),
			poppingN("PopN", modelcheck.Anyone, 3, func(q queue, buf []int64) int {
				var is [2]uint32
				n := q.PopN(is[:])
				buf[0], buf[1] = int64(is[0]), int64(is[1])
				return n
			}),
			draining(modelcheck.Anyone, 1, drain),
			asking(modelcheck.Anyone, 2, queue.Empty),
		},
		Judge:    newSequenceJudge(history.FIFO(), true),
		Drain:    drained(drain),
		LockFree: true,
	}
	at := func(pos uint64, shift uint8, limit int) func() queue {
		return func() queue { return lockfree.NewIndexQueueAt[uint32](pos, shift, limit) }
	}
	eachVariant(t, s,
		variant[queue]{"new", func() queue { return new(lockfree.IndexQueue[uint32]) }},
		variant[queue]{"rings of 1", at(math.MaxUint64, 0, 1)}, // positions are about to wrap
		variant[queue]{"growing", at(0, 0, 4)},
		variant[queue]{"rings of 2", at(1<<32-2, 1, 2)}, // laps are about to wrap
	)
	// Calls that look twice while there is always a value, or room but for moments.
	s.New = at(0, 1, 2)
	for _, look := range []string{"Pop", "Empty"} {
		eachProgram(t, s, "Push | "+look+" | Push Pop Push Pop Push")
	}
	eachProgram(t, s, "Push Push | Push | Pop Push Pop Push", "Push | Push | Push Pop Pop Push")
}
