package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A PointerDeque is a slice of pointers that grows at its end and shrinks at either. The same
// pointer may lie in it several times.
func TestContainerPointerDeque(t *testing.T) {
	var things [5]int
	rapid.Check(t, func(t *rapid.T) {
		var d lockfree.PointerDeque[int]
		var model []*int
		thing := func(t *rapid.T) *int {
			return &things[rapid.IntRange(0, len(things)-1).Draw(t, "thing")]
		}
		many := rapid.IntRange(1, 100)
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				require.Equal(t, len(model), d.Len())
				require.Equal(t, len(model) == 0, d.Empty())
			},
			"Push": func(t *rapid.T) {
				p := thing(t)
				d.Push(p)
				model = append(model, p)
			},
			"PushAll": func(t *rapid.T) {
				ps := make([]*int, many.Draw(t, "n"))
				for i := range ps {
					ps[i] = &things[i%len(things)]
				}
				d.PushAll(ps)
				model = append(model, ps...)
			},
			"Pop": func(t *rapid.T) {
				for range many.Draw(t, "n") {
					p, ok := d.Pop()
					require.Equal(t, len(model) > 0, ok)
					if ok {
						require.Same(t, model[len(model)-1], p)
						model = model[:len(model)-1]
					}
				}
			},
			"Steal": func(t *rapid.T) {
				for range many.Draw(t, "n") {
					p, r := d.Steal()
					if len(model) == 0 {
						require.Equal(t, lockfree.StealEmpty, r)
						continue
					}
					require.Equal(t, lockfree.StealOK, r)
					require.Same(t, model[0], p)
					model = model[1:]
				}
			},
		})
	})
}
