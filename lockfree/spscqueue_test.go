package lockfree_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/lockfree"
)

func TestSPSCQueueKeepsTwoSegments(t *testing.T) {
	var q lockfree.SPSCQueue[int]
	require.Zero(t, q.Segments())
	for i := range 10_000 {
		q.Push(i)
	}
	require.Greater(t, q.Segments(), 10)
	for i := range 10_000 {
		mustPop(t, &q, i)
	}
	mustNotPop(t, &q)
	require.Equal(t, 2, q.Segments())
}

// A population that stays within a segment walks through two that take turns.
func TestSPSCQueueUsesSegmentsAgain(t *testing.T) {
	var q lockfree.SPSCQueue[int]
	vs, buf := make([]int, 700), make([]int, 700)
	for range 20 {
		q.PushAll(vs)
		require.Equal(t, 700, q.PopN(buf))
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		q.PushAll(vs)
		for range 100 {
			q.Push(1)
			q.Pop()
		}
		q.PopN(buf)
	}))
}

// Neither the spare segment nor the way to it keeps alive what was popped or pushed since.
func TestSPSCQueueKeepsNothingAlive(t *testing.T) {
	type big struct{ _ [1 << 10]byte }
	var q lockfree.SPSCQueue[*big]
	const n = 200 // several segments
	var refs [n]weak.Pointer[big]
	for i := range refs {
		p := new(big)
		refs[i] = weak.Make(p)
		q.Push(p)
	}
	buf := make([]*big, n)
	require.Equal(t, n/2, q.PopN(buf[:n/2]))
	clear(buf)
	for i := range n / 2 {
		p, ok := q.Pop()
		require.True(t, ok)
		require.Same(t, refs[n/2+i].Value(), p)
	}
	runtime.GC()
	for i := range refs {
		require.Nil(t, refs[i].Value(), "value %d", i)
	}
	runtime.KeepAlive(&q)
}
