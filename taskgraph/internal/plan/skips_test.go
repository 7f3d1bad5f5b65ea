package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// What depends on a task that has failed is marked, by itself, until the marks are taken off. The
// memory may have served more tasks before.
func TestSkips(t *testing.T) {
	preds := make([][]int, 100)
	preds[40], preds[64], preds[99] = []int{3}, []int{3, 5}, []int{40}
	var b plan.Builder
	p, cycle := build(&b, preds, plan.Plan{})
	require.Nil(t, cycle)
	marked := func(s *plan.Skips) (all []uint32) {
		for i := range uint32(p.Len()) {
			if s.Has(i) {
				all = append(all, i)
			}
		}
		return all
	}
	var before *plan.Skips
	for _, tasks := range []int{p.Len(), 3000, p.Len()} {
		var s plan.Skips
		s.Use(tasks, before)
		require.False(t, s.Any())
		require.Empty(t, marked(&s))
		s.Mark(&p, 7)
		require.False(t, s.Any(), "nothing depends on it")
		s.Mark(&p, 3)
		require.True(t, s.Any())
		require.Equal(t, []uint32{40, 64}, marked(&s))
		s.Clear()
		require.False(t, s.Any())
		require.Empty(t, marked(&s))
		s.Mark(&p, 40) // left to who has the memory next
		require.Equal(t, []uint32{99}, marked(&s))
		before = &s
	}
}

// Marks in memory that has had as many tasks cost no allocation.
func TestSkipsUseMemoryAgain(t *testing.T) {
	var a, b plan.Skips
	a.Use(64, nil)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		b.Use(64, &a)
		a.Use(33, &b)
	}))
}
