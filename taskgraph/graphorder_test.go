package taskgraph_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// orderOfOneWorker returns the tasks as one worker runs them.
func orderOfOneWorker(preds [][]int) (order []uint32) {
	dependents, waits := make([][]int, len(preds)), make([]int, len(preds))
	for i, ps := range preds {
		waits[i] = len(ps)
		for _, p := range ps {
			dependents[p] = append(dependents[p], i)
		}
	}
	var ready []int
	for i := range slices.Backward(preds) {
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, uint32(i))
		for _, t := range slices.Backward(dependents[i]) {
			if waits[t]--; waits[t] == 0 {
				ready = append(ready, t)
			}
		}
	}
	return order
}

// largeGraphs returns graphs of OrderedFrom tasks, by their predecessors.
func largeGraphs() map[string][][]int {
	const n = taskgraph.OrderedFrom
	rnd := rand.New(rand.NewPCG(1, 2))
	tree, dag, reverse := make([][]int, n), make([][]int, n), make([][]int, n)
	for i := range n {
		if i > 0 {
			tree[i] = []int{(i - 1) / 2}
			reverse[i-1] = []int{i}
		}
		for k := rnd.IntN(5); k > 0 && i > 0; k-- {
			dag[i] = append(dag[i], rnd.IntN(i))
		}
	}
	for i := range n - 1 { // one with very many
		if i%3 == 0 {
			dag[n-1] = append(dag[n-1], i)
		}
	}
	return map[string][][]int{"tree": tree, "random": dag, "chain from its end": reverse}
}

func TestGraphIsPutInOrder(t *testing.T) {
	for name, preds := range largeGraphs() {
		crews := []int{1, 2, 16}
		if testing.Short() {
			crews = crews[1:]
		}
		for _, workers := range crews {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				s := start(t, taskgraph.Options{Workers: workers})
				d := newDAG(t, preds)
				for d.run = 1; d.run <= int32(brief(4, 3)); d.run++ {
					wait(t, s, s.LaunchGraph(d.g))
					d.check(t)
					if d.run == 1 {
						require.Nil(t, d.g.Numbers(), "a graph that is run once is left as it is")
					} else {
						require.Equal(t, orderOfOneWorker(preds), d.g.Numbers())
					}
				}
			})
		}
	}
}

// What lies in order stays, and so does what is small.
func TestGraphInOrderStays(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	small := largeGraphs()["tree"]
	for _, preds := range [][][]int{wavefront(91), small[:taskgraph.OrderedFrom-1]} {
		d := newDAG(t, preds)
		for d.run = 1; d.run <= 3; d.run++ {
			wait(t, s, s.LaunchGraph(d.g))
			d.check(t)
		}
		require.Nil(t, d.g.Numbers())
	}
}

func TestGraphInOrderAllocatesNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	d := newDAG(t, largeGraphs()["random"])
	run := func() {
		d.run++
		wait(t, s, s.LaunchGraph(d.g))
	}
	run()
	run()
	require.NotNil(t, d.g.Numbers())
	require.LessOrEqual(t, testing.AllocsPerRun(20, run), 2.0,
		"what the wait takes, and nothing for the tasks")
}

// Names, threads, priorities and bodies of other kinds stay with their tasks; and the memory of a
// graph that was put in order does for another.
func TestGraphInOrderKeepsWhatTasksAre(t *testing.T) {
	r := namedthread.NewRegistry()
	th, err := r.Start("Own", namedthread.Options{})
	require.NoError(t, err)
	defer th.Quit()
	s := start(t, taskgraph.Options{Workers: 2, Threads: r})
	preds := largeGraphs()["tree"]
	var b taskgraph.GraphBuilder
	var g *taskgraph.Graph
	for range 3 {
		b.Reset(g)
		bad := errors.New("bad")
		failing := false
		var astray atomics.Int32
		ran := make([]atomics.Int32, len(preds))
		tasks := make([]taskgraph.GraphTask, len(preds))
		last := len(preds) - 1
		for i, ps := range preds {
			body := taskgraph.Do(func() { ran[i].Add(1) })
			switch {
			case i == last || i == last-1:
				body = taskgraph.Run(func(*taskgraph.Context) error {
					ran[i].Add(1)
					if failing {
						return bad
					}
					return nil
				})
			case i%1000 == 7:
				body = taskgraph.Do(func() {
					ran[i].Add(1)
					if at, _ := namedthread.Current(); at != th {
						astray.Add(1)
					}
				})
			}
			tasks[i] = b.Task(body)
			for _, p := range ps {
				tasks[i].After(tasks[p])
			}
			if i%1000 == 7 {
				tasks[i].On(th)
			}
		}
		tasks[last].Name("the last")
		g, err = b.Build()
		require.NoError(t, err)
		for run := range int32(4) {
			failing = run == 3
			err := s.LaunchGraph(g).Wait(bg)
			if !failing {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, bad)
				require.ErrorContains(t, err, `task "the last": bad`)
				require.ErrorContains(t, err, fmt.Sprintf("task %d of the graph: bad", last-1))
			}
			for i := range ran {
				require.Equal(t, run+1, ran[i].Load(), i)
			}
			require.Equal(t, run > 0, g.Numbers() != nil)
		}
		require.Zero(t, astray.Load(), "tasks ran on another thread than theirs")
	}
}
