package main

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var sums []string
	for _, workers := range []int{1, 2, 5} {
		var out strings.Builder
		require.NoError(t, run(&out, workers))
		lines := strings.Split(out.String(), "\n")
		require.Len(t, lines, 3)
		require.Contains(t, lines[0], "of 32 pictures in view were in the first half of 256")
		sums = append(sums, lines[1])
	}
	require.Equal(t, []string{sums[0], sums[0], sums[0]}, sums, "the same pictures")
	require.NotEqual(t, "checksum 00000000", sums[0])
}

// A pool of one runs what is urgent before what came earlier.
func TestPoolPriorities(t *testing.T) {
	p := NewPool(1, 2)
	var order []int
	start := make(chan struct{})
	p.Go(urgent, func() { <-start })
	for i := range 10 {
		p.Go(i%2, func() { order = append(order, i) })
	}
	close(start)
	p.Close()
	require.Equal(t, []int{0, 2, 4, 6, 8, 1, 3, 5, 7, 9}, order)
}

// All that was asked for is done before a Close returns, whoever sleeps meanwhile.
func TestPoolRunsAll(t *testing.T) {
	for range 20 {
		p := NewPool(4, 3)
		const each = 200
		var ran [4 * each]bool
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				for i := range each {
					p.Go(i%3, func() { ran[g*each+i] = true })
				}
			})
		}
		all.Wait()
		p.Close()
		for i, ok := range ran {
			require.True(t, ok, "%d", i)
		}
	}
}

func TestFuture(t *testing.T) {
	var f Future[int]
	var got []int
	f.OnDone(func(v int) { got = append(got, v) })
	f.OnDone(func(v int) { got = append(got, v+1) })
	require.Empty(t, got)
	f.Resolve(10)
	f.OnDone(func(v int) { got = append(got, v+2) })
	require.Equal(t, []int{10, 11, 12}, got)
	require.PanicsWithValue(t, "pool: a Future is resolved twice", func() { f.Resolve(11) })
}

// Each of many calls comes once, whether it is registered before or after the value is there.
func TestFutureConcurrently(t *testing.T) {
	for range 200 {
		var f Future[int]
		var got [3]int
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() { f.OnDone(func(v int) { got[i] += v }) })
		}
		all.Go(func() { f.Resolve(7) })
		all.Wait()
		require.Equal(t, [3]int{7, 7, 7}, got)
	}
}

func TestBuffers(t *testing.T) {
	b := NewBuffers(2, 8)
	x, y, z := b.Get(), b.Get(), b.Get()
	require.Len(t, z, 8)
	b.Put(x)
	b.Put(y)
	b.Put(z)
	require.Same(t, &x[0], &b.Get()[0])
	require.Same(t, &y[0], &b.Get()[0])
	require.NotSame(t, &z[0], &b.Get()[0])
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestLog(t *testing.T) {
	var out strings.Builder
	l := NewLog(&out)
	want := ""
	for i := range 10 {
		l.Printf("line %d", i)
		want += "line " + string(rune('0'+i%10)) + "\n"
	}
	require.NoError(t, l.Close())
	require.Equal(t, want, out.String())
	l = NewLog(broken{})
	l.Printf("x")
	require.ErrorIs(t, l.Close(), errBroken)
}
