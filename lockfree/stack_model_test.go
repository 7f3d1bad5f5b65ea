//go:build modelcheck

package lockfree_test

import (
	"iter"
	"testing"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

func TestModelStack(t *testing.T) {
	type stack = *lockfree.Stack[int64]
	drain := func(s stack) iter.Seq[int64] { return s.Drain() }
	s := modelcheck.Structure[stack]{
		Name: "Stack",
		Ops: []modelcheck.Op[stack]{
			pushing("Push", modelcheck.Anyone, 4, func(s stack, v int64) bool {
				s.Push(v)
				return true
			}),
			popping("Pop", modelcheck.Anyone, 4, stack.Pop),
			pushingAll("PushAll", modelcheck.Anyone, 2, stack.PushAll),
			{Name: "PopAll", Weight: 2, Do: func(s stack, l *modelcheck.Log, _ int64) {
				l.Call(history.OpPopAll, 0, func() (int64, int32) {
					return history.Pack(s.PopAll(nil)...), history.OK
				})
			}},
			draining(modelcheck.Anyone, 1, drain),
			asking(modelcheck.Anyone, 1, stack.Empty),
		},
		Judge:    newSequenceJudge(history.LIFO(), true),
		Drain:    drained(drain),
		LockFree: true,
	}
	eachVariant(t, s,
		variant[stack]{"new", func() stack { return new(lockfree.Stack[int64]) }},
		// The counts of takings are about to wrap, and the nodes reach a second page.
		variant[stack]{"wrap", func() stack {
			return lockfree.NewStackFrom[int64](lockfree.TakingsLimit-2, lockfree.FirstPage-1)
		}},
	)
	// Nodes come back to the top while a taking is under way, also one that takes all.
	s.New = func() stack { return new(lockfree.Stack[int64]) }
	eachProgram(t, s,
		"Push Push | PopAll Push Push | Pop Pop",
		"Push Push | PopAll Push Push | Pop Pop Pop | Pop Push Push",
		"Push Push | Pop | Pop Pop Push Push",
		"Push Push | Pop Push Push | PopAll Push Push",
	)
}
