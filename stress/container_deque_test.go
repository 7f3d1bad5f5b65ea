package stress_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A Deque is a slice that grows at its end and shrinks at either. Alone, nobody is told to
// try again.
func TestContainerDeque(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d lockfree.Deque[uint32]
		var model []uint32
		push := func(v uint32) {
			d.Push(v)
			model = append(model, v)
		}
		many := rapid.IntRange(1, 100) // over the ends of the first buffers
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				require.Equal(t, len(model), d.Len())
				require.Equal(t, len(model) == 0, d.Empty())
				v, ok := d.Newest()
				require.Equal(t, len(model) > 0, ok)
				if ok {
					require.Equal(t, model[len(model)-1], v)
				}
			},
			"Push": func(t *rapid.T) { push(rapid.Uint32().Draw(t, "v")) },
			"PushMany": func(t *rapid.T) {
				v := rapid.Uint32().Draw(t, "v")
				for i := range many.Draw(t, "n") {
					push(v + uint32(i))
				}
			},
			"Pop": func(t *rapid.T) {
				for range many.Draw(t, "n") {
					v, ok := d.Pop()
					require.Equal(t, len(model) > 0, ok)
					if ok {
						require.Equal(t, model[len(model)-1], v)
						model = model[:len(model)-1]
					}
				}
			},
			"StealN": func(t *rapid.T) {
				buf := make([]uint32, many.Draw(t, "room"))
				n, r := d.StealN(buf)
				require.Equal(t, len(model) == 0, r == lockfree.StealEmpty)
				require.LessOrEqual(t, n, (len(model)+1)/2)
				require.Equal(t, min(len(model), 1), min(n, 1))
				require.True(t, slices.Equal(model[:n], buf[:n]))
				model = model[n:]
			},
			"Steal": func(t *rapid.T) {
				for range many.Draw(t, "n") {
					v, r := d.Steal()
					if len(model) == 0 {
						require.Equal(t, lockfree.StealEmpty, r)
						continue
					}
					require.Equal(t, lockfree.StealOK, r)
					require.Equal(t, model[0], v)
					model = model[1:]
				}
			},
		})
	})
}
