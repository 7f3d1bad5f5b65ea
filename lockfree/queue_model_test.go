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

func TestModelQueue(t *testing.T) {
	type queue = *lockfree.Queue[int64]
	drain := func(q queue) iter.Seq[int64] { return q.Drain() }
	s := modelcheck.Structure[queue]{
		Name: "Queue",
		Ops: []modelcheck.Op[queue]{
			pushing("Push", modelcheck.Anyone, 4, func(q queue, v int64) bool {
				q.Push(v)
				return true
			}),
			popping("Pop", modelcheck.Anyone, 5, queue.Pop),
			pushingN("PushAll", modelcheck.Anyone, 2, func(q queue, vs []int64) int {
				q.PushAll(vs)
				return len(vs)
			}),
			poppingN("PopN", modelcheck.Anyone, 2, queue.PopN),
			draining(modelcheck.Anyone, 1, drain),
			asking(modelcheck.Anyone, 1, queue.Empty),
		},
		Judge:    newSequenceJudge(history.FIFO(), false),
		Drain:    drained(drain),
		LockFree: true,
	}
	eachVariant(t, s,
		variant[queue]{"new", func() queue { return new(lockfree.Queue[int64]) }},
		// Every push but the first brings a segment along, and positions are about to wrap.
		variant[queue]{"segments of 1", func() queue {
			return lockfree.NewQueueAt[int64](math.MaxUint64-1, 1)
		}},
		variant[queue]{"segments of 2", func() queue {
			return lockfree.NewQueueAt[int64](math.MaxUint64-2, 2)
		}},
	)
	// A Pop that looks twice while there is always a value.
	s.New = func() queue { return new(lockfree.Queue[int64]) }
	eachProgram(t, s, "Push | Pop | Push Pop Push Pop")
}
