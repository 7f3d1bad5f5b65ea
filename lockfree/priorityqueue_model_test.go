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

// Empty looks at each level at a moment of its own, which is less than a history can say.
func TestModelPriorityQueue(t *testing.T) {
	type queue = *lockfree.PriorityQueue[int64]
	drain := func(q queue) iter.Seq[int64] { return q.Drain() }
	for _, c := range []struct {
		name   string
		levels int
		make   func() queue
	}{
		{"new", 2, func() queue { return lockfree.NewPriorityQueue[int64](2) }},
		{"segments of 1", 2, func() queue {
			return lockfree.NewPriorityQueueAt[int64](2, math.MaxUint64-1, 1)
		}},
		{"segments of 2", 3, func() queue { return lockfree.NewPriorityQueueAt[int64](3, 0, 2) }},
	} {
		ops := []modelcheck.Op[queue]{
			popping("Pop", modelcheck.Anyone, 8, queue.Pop),
			draining(modelcheck.Anyone, 1, drain),
		}
		for level := range c.levels {
			ops = append(ops, modelcheck.Op[queue]{Name: fmt.Sprintf("Push%d", level), Weight: 3,
				Do: func(q queue, l *modelcheck.Log, v int64) {
					v = history.Leveled(v, level)
					l.Call(history.OpPush, v, func() (int64, int32) {
						q.Push(v, level)
						return 0, history.OK
					})
				}})
		}
		t.Run(c.name, func(t *testing.T) {
			s := modelcheck.Structure[queue]{
				Name: "PriorityQueue",
				New:  c.make,
				Ops:  ops,
				Judge: func() modelcheck.Judge {
					return history.NewLevelChecker(history.Levels(), c.levels)
				},
				Drain:    drained(drain),
				LockFree: true,
			}
			modelcheck.Programs(t, s, modelcheck.Share(3), modelcheck.Options{})
			// Each level is empty at some moment of a Pop, and never all at once; or it looks twice
			// at a level that always has a value.
			eachProgram(t, s,
				"Push1 | Pop | Pop | Push0", "Push0 Pop Push1 | Pop | Pop | Push0",
				"Push0 | Pop | Push1 Pop",
				"Push0 Push1 | Pop | Push0 Pop Push0 Pop",
			)
		})
	}
}
