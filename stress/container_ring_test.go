package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A bounded queue, for many or for one producer and consumer.
type boundedQueue interface {
	TryPush(v string) bool
	TryPop() (string, bool)
	TryPushN(vs []string) int
	TryPopN(buf []string) int
	Len() int
	Cap() int
	Empty() bool
}

// A bounded queue is a slice that grows at its end up to a length and shrinks at its start.
func TestContainerRing(t *testing.T) {
	for name, newRing := range map[string]func(capacity int) boundedQueue{
		"Ring":     func(c int) boundedQueue { return lockfree.NewRing[string](c) },
		"SPSCRing": func(c int) boundedQueue { return lockfree.NewSPSCRing[string](c) },
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				capacity := rapid.IntRange(1, 20).Draw(t, "capacity")
				r := newRing(capacity)
				var model []string
				t.Repeat(map[string]func(*rapid.T){
					"": func(t *rapid.T) {
						require.Equal(t, len(model), r.Len())
						require.Equal(t, len(model) == 0, r.Empty())
						require.Equal(t, capacity, r.Cap())
					},
					"TryPush": func(t *rapid.T) {
						v := rapid.String().Draw(t, "v")
						ok := r.TryPush(v)
						require.Equal(t, len(model) < capacity, ok)
						if ok {
							model = append(model, v)
						}
					},
					"TryPushN": func(t *rapid.T) {
						vs := rapid.SliceOfN(rapid.StringN(1, 1, -1), 0, 2*capacity).Draw(t, "vs")
						n := r.TryPushN(vs)
						require.Equal(t, min(len(vs), capacity-len(model)), n)
						model = append(model, vs[:n]...)
					},
					"TryPop": func(t *rapid.T) {
						v, ok := r.TryPop()
						require.Equal(t, len(model) > 0, ok)
						if ok {
							require.Equal(t, model[0], v)
							model = model[1:]
						}
					},
					"TryPopN": func(t *rapid.T) {
						buf := make([]string, rapid.IntRange(0, 2*capacity).Draw(t, "n"))
						n := r.TryPopN(buf)
						require.Equal(t, min(len(buf), len(model)), n)
						for i := range n {
							require.Equal(t, model[i], buf[i])
						}
						model = model[n:]
					},
				})
			})
		})
	}
}
