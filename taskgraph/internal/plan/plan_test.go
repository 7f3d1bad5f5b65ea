package plan_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// orders draws orders between n tasks, in which earlier ones come first, and some tasks have many.
func orders(t *rapid.T, n int) (preds [][]int) {
	preds = make([][]int, n)
	for i := 1; i < n; i++ {
		for range rapid.SampledFrom([]int{0, 1, 1, 2, 3, 7, 20}).Draw(t, "predecessors") {
			preds[i] = append(preds[i], rapid.IntRange(0, i-1).Draw(t, "predecessor"))
		}
	}
	return preds
}

func build(b *plan.Builder, preds [][]int, old plan.Plan) (plan.Plan, []uint32) {
	b.Room(len(preds))
	for i, ps := range preds {
		for _, p := range ps {
			b.Add(uint32(p), uint32(i))
		}
	}
	return b.Build(len(preds), old)
}

// run plays a run of p, the tasks of which end in the order that next says, and returns the first
// numbers of the tasks in that order.
func run(p *plan.Plan, next func(ready int) int) (ended []uint32) {
	p.Begin()
	ready := slices.Clone(p.Roots)
	var only [1]plan.Edge
	for len(ready) > 0 {
		k := next(len(ready))
		i := ready[k]
		ready = slices.Delete(ready, k, k+1)
		ended = append(ended, p.First(i))
		for _, e := range p.Dependents(i, &only) {
			if p.Arrive(e) {
				ready = append(ready, e.To())
			}
		}
	}
	return ended
}

// Each run ends all tasks, each after its predecessors, whatever run came before and whatever the
// memory was used for.
func TestPlanRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b plan.Builder
		var p plan.Plan
		for range rapid.IntRange(1, 3).Draw(t, "plans") {
			preds := orders(t, rapid.IntRange(1, 40).Draw(t, "tasks"))
			var cycle []uint32
			p, cycle = build(&b, preds, p)
			require.Nil(t, cycle)
			for range 3 {
				ended := run(&p, func(ready int) int {
					return rapid.IntRange(0, ready-1).Draw(t, "next")
				})
				requireOrder(t, preds, ended)
			}
		}
	})
}

// A plan that is built again in its own memory costs no allocation, and one in which no task has
// two predecessors has no counts.
func TestPlanUsesMemoryAgain(t *testing.T) {
	chain, join := [][]int{nil, {0}, {1}}, [][]int{nil, nil, {0, 1}}
	for _, preds := range [][][]int{chain, join} {
		var b plan.Builder
		p, _ := build(&b, preds, plan.Plan{})
		require.Zero(t, testing.AllocsPerRun(10, func() { p, _ = build(&b, preds, p) }))
	}
	fresh := func(preds [][]int) float64 {
		return testing.AllocsPerRun(10, func() {
			var b plan.Builder
			b.Grow(2)
			build(&b, preds, plan.Plan{Roots: make([]uint32, 0, 3)})
		})
	}
	require.Equal(t, fresh(join), fresh(chain)+1)
}

type testingT interface {
	require.TestingT
	Helper()
}

func requireOrder(t testingT, preds [][]int, ended []uint32) {
	t.Helper()
	require.Len(t, ended, len(preds))
	at := make([]int, len(preds))
	for i := range at {
		at[i] = -1
	}
	for k, i := range ended {
		require.Equal(t, -1, at[i], "task %d ended twice", i)
		at[i] = k
	}
	for i, ps := range preds {
		for _, p := range ps {
			require.Less(t, at[p], at[i])
		}
	}
}

// A cycle is found if and only if there is one, and what is returned is one.
func TestPlanCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "tasks")
		preds := make([][]int, n)
		for range rapid.IntRange(0, 2*n).Draw(t, "orders") {
			i := rapid.IntRange(0, n-1).Draw(t, "task")
			preds[i] = append(preds[i], rapid.IntRange(0, n-1).Draw(t, "predecessor"))
		}
		var b plan.Builder
		p, cycle := build(&b, preds, plan.Plan{})
		if cycle == nil {
			requireOrder(t, preds, run(&p, func(int) int { return 0 }))
			return
		}
		for k, i := range cycle {
			require.Contains(t, preds[i], int(cycle[(k+1)%len(cycle)]), "each waits for the next")
		}
	})
}

// PutInOrder changes where tasks lie, and nothing else, and only before the second run.
func TestPlanPutInOrder(t *testing.T) {
	const n = plan.OrderedFrom
	preds := make([][]int, n)
	for i := range n - 1 {
		preds[i] = []int{i + 1} // the last one is first
		if i%5 == 0 {
			for range 9 {
				preds[i] = append(preds[i], i+2)
			}
			preds[i] = slices.DeleteFunc(preds[i], func(p int) bool { return p >= n })
		}
	}
	var b plan.Builder
	p, cycle := build(&b, preds, plan.Plan{})
	require.Nil(t, cycle)
	require.Nil(t, p.PutInOrder())
	last := func(ready int) int { return ready - 1 }
	first := run(&p, last)
	order := p.PutInOrder()
	require.Equal(t, first, order)
	require.Nil(t, p.PutInOrder())
	for range 2 {
		require.Equal(t, first, run(&p, last))
	}
	for i := range uint32(n) {
		require.Equal(t, order[i], p.First(i))
	}
	require.Equal(t, []string{"c", "a"}, plan.Reordered([]string{"a", "b", "c"}, []uint32{2, 0}))
	require.Nil(t, plan.Reordered[int](nil, order))
}

// What tasks declare orders two of them if and only if one of them writes what the other declares:
// by an order or a chain of them, and without one that follows from others.
func TestAccessesOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "tasks")
		var a plan.Accesses
		var b plan.Builder
		b.Room(n)
		uses := make([][3]int, n) // of each thing: 0, 1 reads, 2 writes
		for i := range n {
			for thing := range uses[i] {
				if uses[i][thing] = rapid.IntRange(0, 2).Draw(t, "use"); uses[i][thing] > 0 {
					a.Declare(uint32(i), thing, uses[i][thing] == 2)
				}
			}
		}
		require.Nil(t, a.AddTo(&b, n))
		p, cycle := b.Build(n, plan.Plan{})
		require.Nil(t, cycle)
		behind := make([][]bool, n) // reaches
		var only [1]plan.Edge
		for i := n - 1; i >= 0; i-- {
			behind[i] = make([]bool, n)
			edges := p.Dependents(uint32(i), &only)
			for _, e := range edges {
				behind[i][e.To()] = true
				for j, is := range behind[e.To()] {
					behind[i][j] = behind[i][j] || is
				}
			}
			for _, e := range edges {
				for _, by := range edges {
					require.False(t, behind[by.To()][e.To()], "an order follows from others")
				}
			}
		}
		must := make([][]bool, n)
		for i := n - 1; i >= 0; i-- {
			must[i] = make([]bool, n)
			for j := i + 1; j < n; j++ {
				for thing, use := range uses[i] {
					if use > 0 && uses[j][thing] > 0 && use+uses[j][thing] > 2 {
						must[i][j] = true
						for k, is := range must[j] {
							must[i][k] = must[i][k] || is
						}
					}
				}
			}
		}
		require.Equal(t, must, behind)
	})
}

// A task comes once after each that it has things from, also after more than are searched.
func TestAccessesOfMany(t *testing.T) {
	const n = 1500
	var a plan.Accesses
	var b plan.Builder
	b.Room(n + 1)
	for i := range uint32(n) {
		for _, thing := range [][2]uint32{{i, 0}, {i, 1}} {
			a.Declare(i, thing, true)
			a.Declare(n, thing, false)
		}
	}
	require.Nil(t, a.AddTo(&b, n+1))
	p, cycle := b.Build(n+1, plan.Plan{})
	require.Nil(t, cycle)
	var only [1]plan.Edge
	for i := range uint32(n) {
		edges := p.Dependents(i, &only)
		require.Len(t, edges, 1)
		require.EqualValues(t, n, edges[0].To())
		require.EqualValues(t, n, p.Predecessors(edges[0]))
	}
}

// An order that was added may be after a task that is younger.
func TestAccessesBesideAYoungerTask(t *testing.T) {
	var a plan.Accesses
	var b plan.Builder
	b.Room(3)
	b.Add(2, 1)
	a.Declare(0, "it", true)
	a.Declare(1, "it", false)
	require.Nil(t, a.AddTo(&b, 3))
	p, cycle := b.Build(3, plan.Plan{})
	require.Nil(t, cycle)
	require.Equal(t, []uint32{0, 2, 1}, run(&p, func(int) int { return 0 }))
}

func TestAccessesTwice(t *testing.T) {
	for _, first := range []bool{false, true} {
		for _, second := range []bool{false, true} {
			var a plan.Accesses
			var b plan.Builder
			b.Room(3)
			a.Declare(1, "it", true)
			a.Declare(2, "it", first)
			a.Declare(2, "it", second)
			twice := a.AddTo(&b, 3)
			require.Equal(t, &plan.Twice{Task: 2, Thing: "it", Reads: !first || !second,
				Writes: first || second}, twice)
		}
	}
}
