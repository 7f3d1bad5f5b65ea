package readylist

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// drawn returns a random graph, and what each task comes after.
func drawn(t *rapid.T) (p plan.Plan, before [][]int) {
	n := rapid.IntRange(1, 200).Draw(t, "n")
	var b plan.Builder
	b.Room(n)
	before = make([][]int, n)
	for i := 1; i < n; i++ {
		before[i] = rapid.SliceOfNDistinct(rapid.IntRange(max(0, i-20), i-1), 0, 3,
			rapid.ID[int]).Draw(t, "before")
		for _, p := range before[i] {
			b.Add(uint32(p), uint32(i))
		}
	}
	p, cycle := b.Build(n, plan.Plan{})
	require.Nil(t, cycle)
	return p, before
}

// Ranks are the longest ways, by what tasks have cost, and tasks are taken by their ranks.
func TestListIsByRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, before := drawn(t)
		n := len(before)
		var l List
		l.Settle(true)
		require.True(t, l.Begin(&p))
		costs := make([]uint64, n)
		for round := range 2 {
			want := make([]uint64, n)
			for i := n - 1; i >= 0; i-- {
				want[i] += max(1, costs[i])
				for _, p := range before[i] {
					want[p] = max(want[p], want[i])
				}
			}
			require.Equal(t, want, l.ranks)
			some := rapid.Permutation(l.tasks).Draw(t, "ready")
			some = some[:rapid.IntRange(0, n).Draw(t, "so many")]
			for _, i := range some {
				l.Put(i)
			}
			last := ^uint64(0)
			var got []uint32
			for range some {
				i := l.Take()
				require.LessOrEqual(t, want[i], last)
				last = want[i]
				got = append(got, i)
			}
			require.ElementsMatch(t, some, got)
			for i := range costs {
				costs[i] = rapid.Uint64Range(0, 5000).Draw(t, "cost")
				l.costs[i] = uint32(costs[i])
			}
			if round == 0 {
				require.True(t, l.Begin(&p))
			}
		}
	})
}

// Best gives the task at hand, or one whose rank is far higher, for which the other is left.
func TestListBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, before := drawn(t)
		var l List
		l.Settle(true)
		l.Begin(&p)
		for i := range l.costs {
			l.costs[i] = rapid.Uint32Range(0, 5000).Draw(t, "cost")
		}
		l.Begin(&p)
		all := rapid.Permutation(l.tasks).Draw(t, "ready")
		own, ready := all[0], all[1:rapid.IntRange(1, len(before)).Draw(t, "so many")]
		first := own
		for _, i := range ready {
			l.Put(i)
			if l.Before(i, first) {
				first = i
			}
		}
		got := l.Best(own)
		if l.ranks[first]-l.ranks[own] > l.ranks[l.tasks[0]]/nearPart {
			require.Equal(t, l.ranks[first], l.ranks[got])
		} else {
			require.Equal(t, own, got)
		}
		left := []uint32{got}
		for range ready {
			left = append(left, l.Take())
		}
		require.ElementsMatch(t, append(slices.Clone(ready), own), left)
	})
}

// A list that is dropped is empty.
func TestListDrops(t *testing.T) {
	var b plan.Builder
	b.Room(70)
	p, _ := b.Build(70, plan.Plan{})
	var l List
	l.Settle(true)
	l.Begin(&p)
	l.Put(3)
	l.Put(69)
	l.Drop()
	l.Put(5)
	require.EqualValues(t, 5, l.Take())
	for k := range l.words {
		require.Zero(t, l.words[k].Load())
	}
}

// What one run is taken for holds until the next one that is measured; between the two bounds it
// stays as it is.
func TestListIsUsedForLongTasks(t *testing.T) {
	var b plan.Builder
	b.Room(4)
	p, _ := b.Build(4, plan.Plan{})
	var l List
	measured := 0
	run := func(each int64) (uses bool) {
		uses = l.Begin(&p)
		require.Equal(t, l.began != 0 && uses, l.Learns())
		if l.began != 0 {
			measured++
			l.took(4*each, 4)
		}
		l.End(4) // without effect
		return uses
	}
	for _, c := range []struct {
		each int64
		next bool
	}{{100, false}, {worthFrom, true}, {worthUntil + 1, true}, {10, false},
		{worthFrom - 500, false}, {1 << 40, true}} {
		for n := measured; measured == n; {
			run(c.each)
		}
		require.Equal(t, c.next, l.on, c.each)
	}
	n := measured
	for range 10 * rarely {
		run(worthFrom)
	}
	require.InDelta(t, 10, measured-n, 5)
}

// What a task has cost follows its times, slowly upwards.
func TestListLearnsCosts(t *testing.T) {
	l := List{learner: learner{costs: make([]uint32, 1)}}
	for _, c := range []struct {
		took int64
		cost uint32
	}{{1000, 1000}, {3000, 2000}, {0, 1000}, {1 << 60, 2500}, {-1, 1250}, {1250, 1250}} {
		l.Cost(0, c.took)
		require.Equal(t, c.cost, l.costs[0], c.took)
	}
	for range 100 {
		l.Cost(0, 1<<62)
	}
	require.LessOrEqual(t, l.costs[0], uint32(longest))
	require.Greater(t, l.costs[0], uint32(longest/2))
}
