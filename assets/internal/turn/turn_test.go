package turn_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets/internal/turn"
	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

func TestTurn(t *testing.T) {
	const putters, each = 8, 2000
	var wg, drains sync.WaitGroup
	var inside atomics.Int32
	// of each putter; plain: the race detector sees that one at a time does it
	var last [putters]int
	done := 0
	var all *turn.Turn[[2]int]
	all = turn.New(func(v [2]int) {
		if inside.Add(1) != 1 {
			t.Error("two at a time")
		}
		if last[v[0]]++; last[v[0]] != v[1] {
			t.Errorf("%d comes after %d", v[1], last[v[0]]-1)
		}
		done++
		inside.Add(-1)
	}, func() { drains.Go(func() { all.Drain() }) })
	for p := range putters {
		wg.Go(func() {
			for i := range each {
				all.Put([2]int{p, i + 1})
			}
		})
	}
	wg.Wait()
	drains.Wait()
	require.Equal(t, putters*each, done)
}

// What is being done puts more.
func TestTurnOfItself(t *testing.T) {
	var got []int
	starts := 0
	var all *turn.Turn[int]
	all = turn.New(func(v int) {
		got = append(got, v)
		if v < 5 {
			all.Put(v + 1)
		}
	}, func() { starts++ })
	all.Put(0)
	require.Empty(t, got, "Put does nothing itself")
	all.Drain()
	require.Equal(t, []int{0, 1, 2, 3, 4, 5}, got)
	require.Equal(t, 1, starts)
}
