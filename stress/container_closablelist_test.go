package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A ClosableList is a slice that grows until it is closed.
func TestContainerClosableList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l lockfree.ClosableList[int]
		var model []int
		closed, next := false, 0
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { require.Equal(t, closed, l.Closed()) },
			"TryPush": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "n") {
					require.Equal(t, !closed, l.TryPush(next))
					if !closed {
						model = append(model, next)
					}
					next++
				}
			},
			"Close": func(t *rapid.T) {
				// Seldom, or most programs would be over before they began.
				if rapid.IntRange(0, 9).Draw(t, "now") != 0 {
					return
				}
				items, ok := l.Close([]int{-1})
				require.Equal(t, !closed, ok)
				require.Equal(t, append([]int{-1}, model...), items)
				model, closed = nil, true
			},
		})
	})
}
