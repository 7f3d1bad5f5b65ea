package main

import (
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/taskgraph"
)

// skynetWorkload adds up the numbers of leaves: each inner task has ten children.
func skynetWorkload(depth int) *workload {
	leaves, tasks := 1, 1
	for range depth {
		leaves *= 10
		tasks += leaves
	}
	want := leaves * (leaves - 1) / 2
	w := &workload{name: "skynet",
		title: fmt.Sprintf("a tree of tasks with ten children each, %d levels, that adds up the "+
			"numbers of its leaves; n is the number of tasks", depth), unit: "ns/task", n: tasks}
	var fork func(c *taskgraph.Context, a *taskgraph.Args)
	fork = func(c *taskgraph.Context, a *taskgraph.Args) {
		from, size := a.A, a.B
		if size == 1 {
			a.C = from
			return
		}
		var joins [10]taskgraph.Join
		for i := range joins {
			joins[i] = c.Fork(fork, taskgraph.Args{A: from + int64(i)*size/10, B: size / 10})
		}
		a.C = 0
		for _, j := range slices.Backward(joins[:]) {
			a.C += j.Wait().C
		}
	}
	var spread func(all func(fs ...func()) error, from, size int) int
	spread = func(all func(fs ...func()) error, from, size int) int {
		if size == 1 {
			return from
		}
		var sums [10]int
		var fs [10]func()
		for i := range fs {
			fs[i] = func() { sums[i] = spread(all, from+i*size/10, size/10) }
		}
		if all(fs[:]...) != nil {
			return -1
		}
		total := 0
		for _, sum := range sums {
			total += sum
		}
		return total
	}
	w.divided(tasks, division{ours: func(c *taskgraph.Context) error {
		a := taskgraph.Args{B: int64(leaves)}
		fork(c, &a)
		return equal("the sum", int(a.C), want)
	}, theirs: func(all func(fs ...func()) error) error {
		return equal("the sum", spread(all, 0, leaves), want)
	}})
	w.rows = append(w.rows, tbb.row(tasks, plainJob("skynet", depth)))
	return w
}
