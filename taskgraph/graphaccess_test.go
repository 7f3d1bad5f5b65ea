package taskgraph_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A declared is a task as it was declared.
type declared struct {
	reads, writes []int
	after         []int
}

func (d *declared) conflicts(e *declared) bool {
	has := func(writes []int, of ...[]int) bool {
		for _, w := range writes {
			for _, things := range of {
				for _, x := range things {
					if x == w {
						return true
					}
				}
			}
		}
		return false
	}
	return has(d.writes, e.reads, e.writes) || has(e.writes, d.reads)
}

func drawDeclared(t *rapid.T) []declared {
	tasks := make([]declared, rapid.IntRange(1, 24).Draw(t, "tasks"))
	things := rapid.IntRange(1, 6).Draw(t, "things")
	for i := range tasks {
		for x := range things {
			switch rapid.IntRange(0, 5).Draw(t, "access") {
			case 0:
				tasks[i].writes = append(tasks[i].writes, x)
			case 1, 2:
				tasks[i].reads = append(tasks[i].reads, x)
			}
		}
		for before := range i {
			if rapid.IntRange(0, 15).Draw(t, "after") == 0 {
				tasks[i].after = append(tasks[i].after, before)
			}
		}
	}
	return tasks
}

func boxed(things []int) (boxed []any) {
	for _, x := range things {
		boxed = append(boxed, x)
	}
	return boxed
}

// reach returns for each task what is behind it.
func reach(edges [][]bool) [][]bool {
	n := len(edges)
	all := make([][]bool, n)
	for i := n - 1; i >= 0; i-- { // edges lead to later tasks
		all[i] = make([]bool, n)
		for k := range n {
			if edges[i][k] {
				all[i][k] = true
				for m := range n {
					all[i][m] = all[i][m] || all[k][m]
				}
			}
		}
	}
	return all
}

func square(n int) [][]bool {
	s := make([][]bool, n)
	for i := range s {
		s[i] = make([]bool, n)
	}
	return s
}

// The order of a graph is that of its conflicts and of After, no more and no less, and no order
// that was derived follows from others. A run never has two tasks at once that conflict, and keeps
// their order.
func TestAccessesGiveTheOrder(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 3})
	var b taskgraph.GraphBuilder
	var old *taskgraph.Graph
	rapid.Check(t, func(t *rapid.T) {
		tasks := drawDeclared(t)
		n := len(tasks)
		b.Reset(old)
		old = nil
		var readers, writers [6]atomics.Int32
		var wrong atomics.Bool
		ended := make([]atomics.Bool, n)
		made := make([]taskgraph.GraphTask, n)
		for i := range tasks {
			d := &tasks[i]
			made[i] = b.Task(taskgraph.Do(func() {
				for _, x := range d.reads {
					readers[x].Add(1)
				}
				for _, x := range d.writes {
					writers[x].Add(1)
				}
				for _, x := range d.reads {
					if writers[x].Load() != 0 {
						wrong.Store(true)
					}
				}
				for _, x := range d.writes {
					if writers[x].Load() != 1 || readers[x].Load() != 0 {
						wrong.Store(true)
					}
				}
				for k := range tasks {
					if before := k < i; tasks[k].conflicts(d) && k != i &&
						ended[k].Load() != before {
						wrong.Store(true)
					}
				}
				for _, x := range d.reads {
					readers[x].Add(-1)
				}
				for _, x := range d.writes {
					writers[x].Add(-1)
				}
				ended[i].Store(true)
			}))
		}
		want := square(n)
		given := square(n)
		for _, i := range rapid.Permutation(seq(n)).Draw(t, "order of the declarations") {
			d := &tasks[i]
			made[i].Writes(boxed(d.writes)...).Reads(boxed(d.reads)...)
			for _, k := range d.after {
				made[i].After(made[k])
				want[k][i], given[k][i] = true, true
			}
			for k := range i {
				want[k][i] = want[k][i] || tasks[k].conflicts(d)
			}
		}
		g, err := b.Build()
		require.NoError(t, err)
		edges := square(n)
		preds := make([]uint32, n)
		for i := range n {
			to, _ := g.Dependents(uint32(i))
			for _, k := range to {
				require.False(t, edges[i][k], "%d before %d twice", i, k)
				edges[i][k] = true
				preds[k]++
			}
		}
		for i := range n {
			to, counts := g.Dependents(uint32(i))
			for at, k := range to {
				require.Equal(t, preds[k], counts[at])
			}
		}
		all := reach(edges)
		require.Equal(t, reach(want), all)
		for i := range n {
			for k := range n {
				if !edges[i][k] || given[i][k] {
					continue
				}
				for m := range n {
					require.False(t, all[i][m] && all[m][k], "%d before %d follows from %d", i, k,
						m)
				}
			}
		}
		require.NoError(t, s.WaitUntilTasksComplete(bg, s.LaunchGraph(g)))
		require.False(t, wrong.Load())
		old = g
	})
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// Tasks that only read a thing run beside each other: each of these waits for the other.
func TestReadersRunBesideEachOther(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	a, z := make(chan struct{}), make(chan struct{})
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() {})).Writes("map")
	b.Task(taskgraph.Do(func() { close(a); <-z })).Reads("map")
	b.Task(taskgraph.Do(func() { close(z); <-a })).Reads("map")
	g, err := b.Build()
	require.NoError(t, err)
	wait(t, s, s.LaunchGraph(g))
}

func TestAccessDeclaredTwice(t *testing.T) {
	nop := taskgraph.Do(func() {})
	type position struct{ x int }
	at := &position{7}
	for text, declare := range map[string]func(t taskgraph.GraphTask){
		`taskgraph: task "move" both reads and writes "mass"; Writes alone says both`: func(
			t taskgraph.GraphTask) {
			t.Reads("a", "mass").Writes("mass")
		},
		`taskgraph: task "move" both reads and writes int(3); Writes alone says both`: func(
			t taskgraph.GraphTask) {
			t.Writes(3).Reads(3)
		},
		`taskgraph: task "move" reads taskgraph_test.position({7}) twice`: func(
			t taskgraph.GraphTask) {
			t.Reads(*at, *at)
		},
		`taskgraph: task "move" writes taskgraph_test.declared twice`: func(t taskgraph.GraphTask) {
			t.Writes(reflect.TypeFor[declared]()).Writes(reflect.TypeFor[declared]())
		},
		fmt.Sprintf(`taskgraph: task "move" writes the *taskgraph_test.position at %p twice`,
			at): func(t taskgraph.GraphTask) { t.Writes(at, at) },
	} {
		var b taskgraph.GraphBuilder
		b.Task(nop).Writes("mass", 3, at)
		declare(b.Task(nop).Name("move"))
		_, err := b.Build()
		require.EqualError(t, err, text)

		// The builder is as before.
		b.Reset(nil)
		b.Task(nop).Writes("mass")
		b.Task(nop).Writes("mass", 3)
		g, err := b.Build()
		require.NoError(t, err)
		to, _ := g.Dependents(0)
		require.Equal(t, []uint32{1}, to)
	}
}

func TestAccessAgainstTheOrder(t *testing.T) {
	nop := taskgraph.Do(func() {})
	var b taskgraph.GraphBuilder
	first := b.Task(nop).Name("first").Reads(1)
	second := b.Task(nop).Name("second").Writes(1)
	first.After(second)
	_, err := b.Build()
	var cycle *taskgraph.CycleError
	require.True(t, errors.As(err, &cycle))
	require.Len(t, cycle.Path, 2)
}

func TestAccessMisuse(t *testing.T) {
	var b taskgraph.GraphBuilder
	task := b.Task(taskgraph.Do(func() {}))
	const text = "of what cannot be compared"
	require.PanicsWithValue(t, "taskgraph: Reads "+text, func() { task.Reads(nil) })
	require.PanicsWithValue(t, "taskgraph: Writes "+text, func() { task.Writes([]int{1}) })
	require.PanicsWithValue(t, "taskgraph: Writes "+text, func() {
		task.Writes(struct{ x any }{func() {}})
	})
	require.PanicsWithValue(t, "taskgraph: a GraphTask that no GraphBuilder made", func() {
		taskgraph.GraphTask{}.Reads(1)
	})
	_, err := b.Build()
	require.NoError(t, err)
	require.PanicsWithValue(t, "taskgraph: GraphBuilder used after Build", func() { task.Reads(1) })
}

// A graph that is built anew all the time allocates itself, and nothing for what its tasks declare.
func TestAccessesAllocateNothing(t *testing.T) {
	nop := taskgraph.Do(func() {})
	things := make([]int, 20)
	var b taskgraph.GraphBuilder
	var g *taskgraph.Graph
	build := func() {
		b.Reset(g)
		for i := range 60 {
			b.Task(nop).Reads(&things[i%20], &things[(i+7)%20]).Writes(&things[(i+3)%20])
		}
		var err error
		g, err = b.Build()
		require.NoError(t, err)
	}
	for range 3 {
		build()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(20, build), 1.)
}
