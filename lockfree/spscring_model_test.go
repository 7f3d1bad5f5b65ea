//go:build modelcheck

package lockfree_test

import (
	"fmt"
	"iter"
	"math"
	"testing"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// Thread A and the set-up are the producer; thread B and the end are the consumer.
func TestModelSPSCRing(t *testing.T) {
	type ring = *lockfree.SPSCRing[int64]
	drain := func(r ring) iter.Seq[int64] { return r.Drain() }
	for _, capacity := range []int{1, 2, 3} {
		t.Run(fmt.Sprintf("capacity %d", capacity), func(t *testing.T) {
			modelcheck.Programs(t, modelcheck.Structure[*solo[ring]]{
				Name: "SPSCRing",
				New: func() *solo[ring] {
					return &solo[ring]{q: lockfree.NewSPSCRingAt[int64](capacity, math.MaxUint64-1)}
				},
				Ops: []modelcheck.Op[*solo[ring]]{
					freely(pushing("TryPush", modelcheck.First, 4, ring.TryPush)),
					exclusively(popping("TryPop", modelcheck.Second, 4, ring.TryPop)),
					freely(pushingN("TryPushN", modelcheck.First, 3, ring.TryPushN)),
					exclusively(poppingN("TryPopN", modelcheck.Second, 3, ring.TryPopN)),
					exclusively(draining(modelcheck.Second, 1, drain)),
					freely(asking(modelcheck.Anyone, 1, ring.Empty)),
				},
				Judge:    newSequenceJudge(history.BoundedFIFO(capacity), true),
				Drain:    unlessBusy(drained(drain)),
				Threads:  3, // the third one only asks
				LockFree: true,
			}, modelcheck.Share(3), modelcheck.Options{})
		})
	}
}
