package stress_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A Stack is a slice that grows and shrinks at its end.
func TestContainerStack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s lockfree.Stack[int]
		var model []int
		next := 0
		push := func() {
			s.Push(next)
			model = append(model, next)
			next++
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				require.Equal(t, len(model), s.Len())
				require.Equal(t, len(model) == 0, s.Empty())
			},
			"Push": func(*rapid.T) { push() },
			"PushMany": func(t *rapid.T) {
				for range rapid.IntRange(2, 50).Draw(t, "n") {
					push()
				}
			},
			"Pop": func(t *rapid.T) {
				v, ok := s.Pop()
				require.Equal(t, len(model) > 0, ok)
				if ok {
					require.Equal(t, model[len(model)-1], v)
					model = model[:len(model)-1]
				}
			},
			"PopAll": func(t *rapid.T) {
				before := []int{-1, -2}
				all := s.PopAll(slices.Clone(before))
				slices.Reverse(model)
				require.Equal(t, append(before, model...), all)
				model = nil
			},
		})
	})
}
