package records_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/records"
)

// Records in use are different, keep number and address, and are seen by All.
func TestPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p records.Pool[int]
		used := map[uint32]*int{}
		most := 0
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				n, r := p.Take()
				require.NotContains(t, used, n)
				require.Same(t, r, p.At(n))
				*r = int(n)
				used[n] = r
				most = max(most, len(used))
			},
			"put": func(t *rapid.T) {
				for n := range used {
					p.Put(n)
					delete(used, n)
					return
				}
			},
			"": func(t *rapid.T) {
				seen := 0
				for r := range p.All {
					require.Same(t, r, p.At(uint32(*r)))
					seen++
				}
				require.Equal(t, most, seen, "one was made though another was free")
				for n, r := range used {
					require.Equal(t, int(n), *r)
					require.Same(t, r, p.At(n))
				}
			},
		})
	})
}

// No record has two users at a time.
func TestPoolOfMany(t *testing.T) {
	var p records.Pool[atomics.Int32]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var mine [8]uint32
			for range 2_000 {
				for i := range mine {
					n, users := p.Take()
					if users.Add(1) != 1 {
						t.Errorf("record %d has two users", n)
					}
					mine[i] = n
				}
				for _, n := range mine {
					p.At(n).Add(-1)
					p.Put(n)
				}
			}
		})
	}
	wg.Wait()
	made := 0
	for range p.All {
		made++
	}
	require.LessOrEqual(t, made, 4*8)
}

func TestPoolAllocatesNothing(t *testing.T) {
	var p records.Pool[int]
	n, _ := p.Take()
	p.Put(n)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		n, _ := p.Take()
		p.Put(n)
	}))
}

// Who has seen enough stops.
func TestAllStops(t *testing.T) {
	var p records.Pool[int]
	for range 3 {
		p.Take()
	}
	seen := 0
	for range p.All {
		if seen++; seen == 2 {
			break
		}
	}
	require.Equal(t, 2, seen)
}
