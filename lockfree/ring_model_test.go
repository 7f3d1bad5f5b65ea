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
			modelcheck.Programs(t, s, share(t, 3), modelcheck.Options{})
			switch capacity {
			case 1: // a TryPush that looks twice while it is full but for moments, and so on
				eachProgram(t, s, "TryPush | TryPush | TryPop TryPush TryPop TryPush", "TryPush | TryPop | TryPop TryPush TryPop TryPush")
			default: // a TryPop that looks twice while there is always a value
				eachProgram(t, s, "TryPush | TryPop | TryPush TryPop TryPush TryPop")
			}
		})
	}
}
