package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A Mailbox is a slice and two flags.
func TestContainerMailbox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m lockfree.Mailbox[int]
		var model []int
		stalled, closed, next := false, false, 0
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				require.Equal(t, closed, m.Closed())
				require.Equal(t, len(model) == 0, m.Empty())
			},
			"Push": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "n") {
					wake, ok := m.Push(next)
					require.Equal(t, !closed, ok)
					require.Equal(t, ok && stalled, wake)
					if ok {
						model, stalled = append(model, next), false
					}
					next++
				}
			},
			"PopAll": func(t *rapid.T) {
				require.Equal(t, append([]int{-1}, model...), m.PopAll([]int{-1}))
				model = nil
			},
			"Stall": func(t *rapid.T) {
				var mark lockfree.Mark
				nothingNew := len(model) == 0
				if rapid.Bool().Draw(t, "marked") {
					mark, nothingNew = m.Mark(), true
				}
				require.Equal(t, nothingNew, m.Stall(mark))
				stalled = stalled || nothingNew
			},
			"Unstall": func(t *rapid.T) {
				require.Equal(t, !stalled, m.Unstall())
				stalled = false
			},
			"Close": func(t *rapid.T) {
				// Seldom, or most programs would be over before they began.
				if rapid.IntRange(0, 9).Draw(t, "now") != 0 {
					return
				}
				wake, ok := m.Close()
				require.Equal(t, !closed, ok)
				require.Equal(t, ok && stalled, wake)
				if ok {
					stalled, closed = false, true
				}
			},
		})
	})
}
