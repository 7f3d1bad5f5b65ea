package trie_test

import (
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/assets/internal/trie"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// hashes are good, poor, and the same for all keys.
var hashes = map[string]func(int) uint64{
	"mixed": func(k int) uint64 { return uint64(k) * 0x9e3779b97f4a7c15 },
	"deep":  func(k int) uint64 { return uint64(k) << 56 },
	"pairs": func(k int) uint64 { return uint64(k/2) << 60 },
	"one":   func(int) uint64 { return 7 },
}

// TestMap holds random calls against a map of Go.
func TestMap(t *testing.T) {
	for name, hash := range hashes {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			m, want := trie.NewHash[int, int](hash), map[int]*int{}
			values := []*int{new(int), new(int), new(int)}
			key := rapid.IntRange(0, 20)
			value := rapid.SampledFrom(values)
			t.Repeat(map[string]func(*rapid.T){
				"": func(t *rapid.T) {
					require.Equal(t, len(want), m.Len())
					require.True(t, maps.Equal(want, maps.Collect(m.All())))
				},
				"Load": func(t *rapid.T) {
					k := key.Draw(t, "k")
					require.Same(t, want[k], m.Load(k))
				},
				"LoadOrStore": func(t *rapid.T) {
					k, v := key.Draw(t, "k"), value.Draw(t, "v")
					actual, loaded := m.LoadOrStore(k, v)
					require.Equal(t, want[k] != nil, loaded)
					if !loaded {
						want[k] = v
					}
					require.Same(t, want[k], actual)
				},
				"Store": func(t *rapid.T) {
					k, v := key.Draw(t, "k"), value.Draw(t, "v")
					require.Same(t, want[k], m.Store(k, v))
					want[k] = v
				},
				"CompareAndSwap": func(t *rapid.T) {
					k, old, v := key.Draw(t, "k"), value.Draw(t, "old"), value.Draw(t, "v")
					require.Equal(t, want[k] == old, m.CompareAndSwap(k, old, v))
					if want[k] == old {
						want[k] = v
					}
				},
				"CompareAndDelete": func(t *rapid.T) {
					k, old := key.Draw(t, "k"), value.Draw(t, "old")
					require.Equal(t, want[k] == old, m.CompareAndDelete(k, old))
					if want[k] == old {
						delete(want, k)
					}
				},
				"Delete": func(t *rapid.T) {
					k := key.Draw(t, "k")
					require.Same(t, want[k], m.Delete(k))
					delete(want, k)
				},
			})
		}))
	}
}

// TestMapParallel has goroutines that own some keys each, so that each knows what is there.
func TestMapParallel(t *testing.T) {
	for name, hash := range hashes {
		t.Run(name, func(t *testing.T) {
			const owners, keys = 8, 32
			m := trie.NewHash[int, int](hash)
			var wg sync.WaitGroup
			for o := range owners {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(o), 1))
					mine := map[int]*int{}
					for range 3000 {
						k := r.IntN(keys)*owners + o
						if got := m.Load(k); got != mine[k] {
							t.Errorf("key %d has %p, not %p", k, got, mine[k])
							return
						}
						if r.IntN(2) == 0 {
							mine[k] = new(int)
							m.Store(k, mine[k])
						} else {
							delete(mine, k)
							m.Delete(k)
						}
					}
					for k := range mine {
						m.Delete(k)
					}
				})
			}
			wg.Wait()
			require.Zero(t, m.Len())
		})
	}
}

// TestLoadAllocatesNothing holds the cost that is promised.
func TestLoadAllocatesNothing(t *testing.T) {
	m := trie.New[string, int]()
	m.Store("a", new(int))
	require.Zero(t, testing.AllocsPerRun(100, func() { m.Load("a"); m.Load("b") }))
}
