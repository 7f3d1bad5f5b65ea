package watch_test

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/watch"
)

func never(uint64) bool { return false }

// A look finds what runs, and which of it is on top, whoever had the stacks before.
func TestAll(t *testing.T) {
	type run = watch.Running[int]
	rapid.Check(t, func(t *rapid.T) {
		var l watch.List[int]
		var stacks []*watch.Stack[int]
		var bodies [][]*watch.Body[int]
		var want [][]run
		ref, of := uint64(0), new(int)
		over := map[uint64]bool{}
		pick := func(t *rapid.T) int {
			if len(stacks) == 0 {
				t.Skip()
			}
			return rapid.IntRange(0, len(stacks)-1).Draw(t, "goroutine")
		}
		t.Repeat(map[string]func(*rapid.T){
			"goroutine": func(*rapid.T) {
				stacks, bodies, want = append(stacks, l.Get()), append(bodies, nil), append(want,
					nil)
			},
			"leave": func(t *rapid.T) {
				g := pick(t)
				if len(want[g]) > 0 {
					t.Skip()
				}
				l.Put(stacks[g])
				stacks, bodies, want = slices.Delete(stacks, g, g+1), slices.Delete(bodies, g,
					g+1), slices.Delete(want, g, g+1)
			},
			"begin": func(t *rapid.T) {
				g := pick(t)
				depth := len(want[g])
				if depth == watch.Depth {
					t.Skip()
				}
				ref++
				r := run{Ref: ref, GID: ref % 3, Part: uint32(ref % 5), Began: -1}
				if ref%2 == 0 {
					r.Of = of
				}
				bodies[g] = append(bodies[g], stacks[g].Begin(depth, r.GID, ref, r.Of, r.Part))
				stacks[g].Rebegin(depth, -1)
				want[g] = append(want[g], r)
			},
			"end": func(t *rapid.T) {
				g := pick(t)
				last := len(want[g]) - 1
				if last < 0 {
					t.Skip()
				}
				bodies[g][last].End()
				bodies[g], want[g] = bodies[g][:last], want[g][:last]
			},
			"complete": func(t *rapid.T) { // the event, before the body is noted to have ended
				if g := pick(t); len(want[g]) > 0 {
					over[want[g][len(want[g])-1].Ref] = true
				}
			},
			"": func(t *rapid.T) {
				var all []run
				for _, w := range want {
					w := slices.DeleteFunc(slices.Clone(w), func(r run) bool { return over[r.Ref] })
					if len(w) > 0 {
						w[len(w)-1].Top = true
					}
					all = append(all, w...)
				}
				got := l.All(func(ref uint64) bool { return over[ref] })
				by := func(a, b run) int { return cmp.Compare(a.Ref, b.Ref) }
				slices.SortFunc(all, by)
				slices.SortFunc(got, by)
				require.Equal(t, all, got)
			},
		})
	})
}

// A stack that was given back is used again, and keeps nothing of what ran.
func TestStackIsUsedAgain(t *testing.T) {
	var l watch.List[[64]byte]
	s, of := l.Get(), new([64]byte)
	require.NotSame(t, s, l.Get())
	made := weak.Make(of)
	before := atomics.Now()
	body := s.Begin(0, 1, 2, of, 3)
	seen := l.All(never)
	require.Len(t, seen, 1)
	require.GreaterOrEqual(t, seen[0].Began, before)
	require.LessOrEqual(t, seen[0].Began, atomics.Now())
	seen = nil
	body.End()
	l.Put(s)
	require.Same(t, s, l.Get())
	runtime.GC()
	require.Nil(t, made.Value())
	runtime.KeepAlive(&l)
}

// A look beside bodies that come and go sees each with what is its own: WB1 to WB3.
func TestLookBesideBodies(t *testing.T) {
	var l watch.List[uint64]
	var done atomics.Bool
	var wg sync.WaitGroup
	for g := range uint64(2) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := l.Get()
			defer l.Put(s)
			for n := uint64(1); n < 3000; n++ {
				ref := n<<1 | g
				s.Begin(int(n%3), ref, ref, &ref, uint32(ref)).End()
			}
		}()
	}
	go func() { wg.Wait(); done.Store(true) }()
	for !done.Load() {
		for _, r := range l.All(never) {
			require.Equal(t, r.Ref, r.GID)
			require.Equal(t, uint32(r.Ref), r.Part)
			require.Equal(t, r.Ref, *r.Of)
		}
	}
	require.Empty(t, l.All(never))
}
