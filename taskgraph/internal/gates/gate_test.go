package gates_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/gates"
)

func TestGateLetsThroughInOrder(t *testing.T) {
	for places := 1; places <= 3; places++ {
		for _, numbered := range []bool{false, true} {
			g := gates.New(places, numbered)
			var inside []uint32
			const nodes = 40
			next := entry.Entry(1)
			for n := entry.Entry(1); n <= nodes; n++ {
				m, place, ok := g.Enter(n)
				require.Equal(t, int(n) <= places, ok)
				if ok {
					require.Equal(t, next, m)
					next++
					inside = append(inside, place)
				}
			}
			if numbered {
				require.ElementsMatch(t, []uint32{0, 1, 2}[:places], inside)
			}
			_, ok := g.TryTake()
			require.False(t, ok)
			for len(inside) > 0 {
				place := inside[0]
				inside = inside[1:]
				if m, place, ok := g.Leave(place); ok {
					require.Equal(t, next, m)
					next++
					inside = append(inside, place)
				}
			}
			require.Equal(t, entry.Entry(nodes+1), next)
			for range places {
				_, ok := g.TryTake()
				require.True(t, ok)
			}
			_, ok = g.TryTake()
			require.False(t, ok)
		}
	}
}

// A gate costs the same whatever the number of its places.
func TestGateOfManyPlaces(t *testing.T) {
	g := gates.New(1<<31-1, true)
	for want := range uint32(3) {
		_, place, ok := g.Enter(1)
		require.True(t, ok)
		require.Equal(t, want, place)
	}
	g.Leave(1)
	_, place, ok := g.Enter(1)
	require.True(t, ok)
	require.EqualValues(t, 1, place, "one that came back is used again")
	few := testing.AllocsPerRun(10, func() { gates.New(1, true) })
	require.Equal(t, few, testing.AllocsPerRun(10, func() { gates.New(1<<20, true) }))
}

func TestGateUnderLoad(t *testing.T) {
	for places := 1; places <= 3; places++ {
		g := gates.New(places, true)
		const threads, each = 4, 300
		var through [threads*each + 1]atomics.Int32
		// count is plain: -race looks at the order that a gate makes
		used, count := make([]atomics.Bool, places), 0
		var all sync.WaitGroup
		for th := range threads {
			all.Go(func() {
				for i := range each {
					n, place, ok := g.Enter(entry.Entry(th*each + i + 1))
					for ok {
						through[n].Add(1)
						switch {
						case places == 1:
							count++
						case used[place].Swap(true):
							panic("a place has two nodes")
						default:
							used[place].Store(false)
						}
						n, place, ok = g.Leave(place)
					}
				}
			})
		}
		all.Wait()
		for n := 1; n <= threads*each; n++ {
			require.Equal(t, int32(1), through[n].Load())
		}
	}
}
