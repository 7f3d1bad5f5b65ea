package gates_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/internal/gates"
)

// A task passes its gates in the order of their numbers, whatever the order in which they were
// added. Reports know the first four.
func TestPassageInOrder(t *testing.T) {
	var p gates.Passage[int]
	var all [6]int
	for range 2 { // Clear leaves nothing
		require.Zero(t, p.Len())
		require.False(t, p.IsClosed())
		shown, passed, stands := p.Shown()
		require.Empty(t, shown)
		require.Zero(t, passed)
		require.False(t, stands)
		for _, i := range []int{3, 0, 5, 1, 4, 2} {
			require.Equal(t, gates.AddBegun, p.Add(&all[i], uint64(i)))
			require.True(t, p.Added())
			require.Equal(t, gates.AddTwice, p.Add(&all[i], uint64(i)))
		}
		require.Equal(t, len(all), p.Len())
		for i := range all {
			shown, passed, stands := p.Shown()
			require.Equal(t, []*int{&all[0], &all[1], &all[2], &all[3]}, shown)
			require.Equal(t, i, passed)
			require.True(t, stands)
			require.True(t, p.IsClosed())
			require.Same(t, &all[i], p.Gate(i))
			next, ok := p.Pass(uint32(7 + i))
			require.True(t, ok)
			if i+1 == len(all) {
				require.Nil(t, next)
			} else {
				require.Same(t, &all[i+1], next)
			}
			require.EqualValues(t, 7+i, p.Place(i))
		}
		require.False(t, p.IsClosed())
		passed, ok := p.End()
		require.True(t, ok)
		require.Equal(t, len(all), passed)
		require.True(t, p.IsClosed())
		p.Clear()
	}
}

// Once the task is complete it passes no gate, and no other is added.
func TestPassageOver(t *testing.T) {
	var p gates.Passage[int]
	var a, b, c int
	for i, g := range []*int{&a, &b} {
		require.Equal(t, gates.AddBegun, p.Add(g, uint64(i)))
		require.True(t, p.Added())
	}
	_, ok := p.Pass(1)
	require.True(t, ok)
	passed, ok := p.End()
	require.True(t, ok)
	require.Equal(t, 1, passed)
	shown, passed, stands := p.Shown()
	require.Equal(t, []*int{&a, &b}, shown)
	require.Equal(t, 1, passed)
	require.True(t, stands)
	_, ok = p.Pass(2)
	require.False(t, ok)
	require.Equal(t, gates.AddOver, p.Add(&c, 2))
	require.Equal(t, 2, p.Len())

	p.Clear()
	require.Equal(t, gates.AddBegun, p.Add(&a, 0))
	shown, _, stands = p.Shown()
	require.Equal(t, []*int{&a}, shown)
	require.False(t, stands, "it does not stand before a gate that is still being added")
	_, ok = p.End()
	require.False(t, ok, "the builder learns it")
	require.False(t, p.Added())
}

// A passage that was cleared keeps no gate alive.
func TestPassageForgets(t *testing.T) {
	var p gates.Passage[[64]byte]
	var made [6]weak.Pointer[[64]byte]
	for i := range made {
		g := new([64]byte)
		made[i] = weak.Make(g)
		require.Equal(t, gates.AddBegun, p.Add(g, uint64(i)))
		require.True(t, p.Added())
	}
	p.Clear()
	runtime.GC()
	for i := range made {
		require.Nil(t, made[i].Value(), "gate %d", i)
	}
	runtime.KeepAlive(&p)
}
