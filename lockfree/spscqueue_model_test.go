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

// Thread A and the set-up are the producer; thread B and the end are the consumer.
func TestModelSPSCQueue(t *testing.T) {
	type queue = *lockfree.SPSCQueue[int64]
	drain := func(q queue) iter.Seq[int64] { return q.Drain() }
	eachVariant(t, modelcheck.Structure[*solo[queue]]{
		Name: "SPSCQueue",
		Ops: []modelcheck.Op[*solo[queue]]{
			freely(pushing("Push", modelcheck.First, 4, func(q queue, v int64) bool {
				q.Push(v)
				return true
			})),
			exclusively(popping("Pop", modelcheck.Second, 4, queue.Pop)),
			freely(pushingAll("PushAll", modelcheck.First, 3, queue.PushAll)),
			exclusively(poppingN("PopN", modelcheck.Second, 3, queue.PopN)),
			exclusively(draining(modelcheck.Second, 1, drain)),
			freely(asking(modelcheck.Second, 1, queue.Empty)),
		},
		Judge:    newSequenceJudge(history.FIFO(), true),
		Drain:    unlessBusy(drained(drain)),
		Threads:  2,
		LockFree: true,
	},
		variant[*solo[queue]]{"new", func() *solo[queue] {
			return &solo[queue]{q: new(lockfree.SPSCQueue[int64])}
		}},
		// The count of values is about to wrap.
		variant[*solo[queue]]{"first segment of 1", func() *solo[queue] {
			return &solo[queue]{q: lockfree.NewSPSCQueueOf[int64](math.MaxUint64-1, 1)}
		}},
		variant[*solo[queue]]{"first segment of 2", func() *solo[queue] {
			return &solo[queue]{q: lockfree.NewSPSCQueueOf[int64](math.MaxUint64-2, 2)}
		}},
	)
}
