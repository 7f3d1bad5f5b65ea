package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A StallingQueue is two slices and two flags.
func TestContainerStallingQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q lockfree.StallingQueue[int]
		var model [2][]int
		stalled, closed, next := false, false, 0
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				require.Equal(t, closed, q.Closed())
				for p := range model {
					require.Equal(t, len(model[p]) == 0, q.Empty(p))
				}
			},
			"Push": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "n") {
					p := rapid.IntRange(0, 1).Draw(t, "priority")
					wake, ok := q.Push(next, p)
					require.Equal(t, !closed, ok)
					require.Equal(t, ok && stalled, wake)
					if ok {
						model[p], stalled = append(model[p], next), false
					}
					next++
				}
			},
			"PopAll": func(t *rapid.T) {
				p := rapid.IntRange(0, 1).Draw(t, "priority")
				require.Equal(t, append([]int{-1}, model[p]...), q.PopAll(p, []int{-1}))
				model[p] = nil
			},
			"Stall": func(t *rapid.T) {
				var mark lockfree.Mark
				nothingNew := len(model[0])+len(model[1]) == 0
				if rapid.Bool().Draw(t, "marked") {
					mark, nothingNew = q.Mark(), true
				}
				require.Equal(t, nothingNew, q.Stall(mark))
				stalled = stalled || nothingNew
			},
			"Unstall": func(t *rapid.T) {
				require.Equal(t, !stalled, q.Unstall())
				stalled = false
			},
			"Close": func(t *rapid.T) {
				// Seldom, or most programs would be over before they began.
				if rapid.IntRange(0, 9).Draw(t, "now") != 0 {
					return
				}
				wake, ok := q.Close()
				require.Equal(t, !closed, ok)
				require.Equal(t, ok && stalled, wake)
				if ok {
					stalled, closed = false, true
				}
			},
		})
	})
}
