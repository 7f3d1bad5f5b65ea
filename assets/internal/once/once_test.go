package once_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets/internal/once"
	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

type entry = once.Entry[int]

func TestEntry(t *testing.T) {
	e := once.NewEntry[int]()
	require.Equal(t, 1, e.Held())
	first, ok := e.Acquire()
	require.True(t, ok)
	require.False(t, first)
	require.False(t, e.Kill())
	require.False(t, e.Release())
	require.True(t, e.Release())
	first, ok = e.Acquire()
	require.True(t, first && ok)
	require.True(t, e.Release())
	require.True(t, e.Kill())
	require.True(t, e.Dead())
	require.False(t, e.Kill())
	_, ok = e.Acquire()
	require.False(t, ok)
	require.Panics(t, func() { e.Release() })
	require.Zero(t, e.Held())
}

func TestMerge(t *testing.T) {
	a, b, c := once.NewEntry[int](), once.NewEntry[int](), once.NewEntry[int]()
	// a is held by a handle and by b, b by a, c by b and by a handle.
	a.Acquire()
	c.Acquire()
	require.False(t, once.Merge([]*entry{a, b}, 2))
	require.Equal(t, 1, b.Held())
	require.False(t, b.Kill())
	require.True(t, a.Release(), "the last of both")
	first, ok := b.Acquire()
	require.True(t, first && ok)
	require.False(t, once.Merge([]*entry{c, a, b}, 1), "knots are merged")
	require.Equal(t, 2, a.Held())
	require.False(t, c.Release())
	require.True(t, c.Release())
	require.True(t, b.Kill())
	for _, e := range []*entry{a, b, c} {
		require.True(t, e.Dead())
	}
	d, e := once.NewEntry[int](), once.NewEntry[int]()
	require.True(t, once.Merge([]*entry{d, e}, 2), "nobody else")
	require.True(t, d.Kill())
}

// TestOnce has many take one thing and let it go, and who finds it free ends it: each life is made
// by one, ended by one, and never used after.
func TestOnce(t *testing.T) {
	const goroutines, each, keys = 8, 3000, 3
	table := once.New[int, atomics.Int32]()
	var made, ended atomics.Int64
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				k := (i + g) % keys
				e, isNew, _ := table.Acquire(k, func(*once.Entry[atomics.Int32]) {}, nil)
				if isNew {
					made.Add(1)
				}
				if e.Value.Load() != 0 {
					t.Error("held after its end")
				}
				if e.Release() && e.Kill() {
					e.Value.Store(1)
					ended.Add(1)
					table.Remove(k, e)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, made.Load(), ended.Load())
	require.Zero(t, table.Len())
}

func TestStale(t *testing.T) {
	table := once.New[string, int]()
	fresh := func(e *entry) { e.Value = 7 }
	e, isNew, first := table.Acquire("a", fresh, nil)
	require.True(t, isNew)
	require.False(t, first)
	same, isNew, _ := table.Acquire("a", fresh, func(v *int) bool { return *v == 8 })
	require.False(t, isNew)
	require.Same(t, e, same)
	other, isNew, _ := table.Acquire("a", fresh, func(v *int) bool {
		return *v == 7 &&
			v == &e.Value
	})
	require.True(t, isNew)
	require.NotSame(t, e, other)
	require.Same(t, other, table.Find("a"))
	require.False(t, table.Remove("a", e))
	require.True(t, table.Replace("a", other, e))
	require.Equal(t, 1, table.Len())
	n := 0
	table.All(func(k string, x *entry) bool { n++; return k == "a" && x == e })
	require.Equal(t, 1, n)
}
