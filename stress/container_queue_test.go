package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A Queue is a slice that grows at its end and shrinks at its start.
func TestContainerQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q lockfree.Queue[string]
		var model []string
		push := func(v string) {
			q.Push(v)
			model = append(model, v)
		}
		pop := func(t *rapid.T) {
			v, ok := q.Pop()
			require.Equal(t, len(model) > 0, ok)
			if ok {
				require.Equal(t, model[0], v)
				model = model[1:]
			}
		}
		many := rapid.IntRange(2, 100) // over the ends of the first segments
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				require.Equal(t, len(model), q.Len())
				require.Equal(t, len(model) == 0, q.Empty())
			},
			"Push": func(t *rapid.T) { push(rapid.String().Draw(t, "v")) },
			"PushMany": func(t *rapid.T) {
				v := rapid.StringN(1, 1, -1).Draw(t, "v")
				for range many.Draw(t, "n") {
					push(v)
				}
			},
			"Pop": pop,
			"PopMany": func(t *rapid.T) {
				for range many.Draw(t, "n") {
					pop(t)
				}
			},
		})
	})
}
