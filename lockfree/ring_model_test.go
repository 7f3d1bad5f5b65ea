//go:build modelcheck

package lockfree_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// A Ring is blocking, and says so: that one thread may hold up others is not a failure of it.
func TestModelRing(t *testing.T) {
	type ring = *lockfree.Ring[int64]
	drain := func(r ring) iter.Seq[int64] { return r.Drain() }
	for _, capacity := range []int{1, 2, 3} {
		t.Run(fmt.Sprintf("capacity %d", capacity), func(t *testing.T) {
			s := modelcheck.Structure[ring]{
				Name: "Ring",
				New:  func() ring { return lockfree.NewRingAt[int64](capacity, -1) },
				Ops: []modelcheck.Op[ring]{
					pushing("TryPush", modelcheck.Anyone, 5, ring.TryPush),
					popping("TryPop", modelcheck.Anyone, 5, ring.TryPop),
					pushingN("TryPushN", modelcheck.Anyone, 3, ring.TryPushN),
					poppingN("TryPopN", modelcheck.Anyone, 3, ring.TryPopN),
					draining(modelcheck.Anyone, 1, drain),
					asking(modelcheck.Anyone, 1, ring.Empty),
				},
				Judge: newSequenceJudge(history.BoundedFIFO(capacity), true),
				Drain: drained(drain),
			}
			modelcheck.Programs(t, s, modelcheck.Share(3), modelcheck.Options{})
			s.Ops = append(s.Ops,
				pushing("Push1", modelcheck.Anyone, 1, func(r ring, v int64) bool {
					return r.TryPushN([]int64{v}) == 1
				}),
				popping("Pop1", modelcheck.Anyone, 1, func(r ring) (v int64, ok bool) {
					var buf [1]int64
					n := r.TryPopN(buf[:])
					return buf[0], n == 1
				}),
			)
			switch capacity {
			case 1: // a call that looks twice while the ring is full, or empty, but for moments
				eachProgram(t, s, "TryPush | TryPush | TryPop TryPush TryPop TryPush",
					"TryPush | TryPop | TryPop TryPush TryPop TryPush")
			case 2: // a call that looks twice while there is always a value, and always room
				for _, pop := range []string{"TryPop", "Pop1", "Empty"} {
					eachProgram(t, s, "TryPush | "+pop+" | TryPush TryPop TryPush TryPop")
				}
				for _, push := range []string{"TryPush", "Push1"} {
					eachProgram(t, s, "TryPush | "+push+" | TryPop TryPush TryPop TryPush")
				}
			}
		})
	}
}
