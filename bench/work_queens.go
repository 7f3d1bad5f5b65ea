package main

import (
	"fmt"

	"github.com/heddle-go/heddle/taskgraph"
)

// A board is a row of queens placed so far: columns and diagonals that are under attack.
type board struct{ columns, left, right uint32 }

// next calls f for the board after each queen that can stand in the next row, and reports
// whether all rows are full.
func (b board) next(size int, f func(board)) (full bool) {
	all := uint32(1)<<size - 1
	if b.columns == all {
		return true
	}
	for free := all &^ (b.columns | b.left | b.right); free != 0; free &= free - 1 {
		bit := free & -free
		f(board{b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1})
	}
	return false
}

// count returns the solutions below a board, and the boards.
func (b board) count(size int) (solutions, boards int) {
	boards = 1
	if b.next(size, func(c board) {
		s, n := c.count(size)
		solutions += s
		boards += n
	}) {
		return 1, 1
	}
	return solutions, boards
}

// queensKnown are the numbers of solutions from a board of 0 on.
var queensKnown = []int{1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596}

// queensWorkload counts the ways to place queens on a board, a task for each placed queen.
func queensWorkload(size int) *workload {
	want := queensKnown[size]
	_, tasks := board{}.count(size)
	w := &workload{name: "nqueens",
		title: fmt.Sprintf("the %d queens problem, with a task for each queen that is placed; n is "+
			"the number of tasks", size), unit: "ns/task", n: tasks}
	var fork func(c *taskgraph.Context, a *taskgraph.Args)
	fork = func(c *taskgraph.Context, a *taskgraph.Args) {
		b := board{uint32(a.A), uint32(a.B), uint32(a.C)}
		var joins [32]taskgraph.Join
		n := 0
		full := b.next(size, func(next board) {
			joins[n] = c.Fork(fork, taskgraph.Args{A: int64(next.columns), B: int64(next.left),
				C: int64(next.right)})
			n++
		})
		a.D = 0
		if full {
			a.D = 1
		}
		for n--; n >= 0; n-- {
			a.D += joins[n].Wait().D
		}
	}
	var spread func(all func(fs ...func()) error, b board) (int, error)
	spread = func(all func(fs ...func()) error, b board) (int, error) {
		var counts [32]int
		var errs [32]error
		var fs []func()
		full := b.next(size, func(next board) {
			i := len(fs)
			fs = append(fs, func() { counts[i], errs[i] = spread(all, next) })
		})
		if full {
			return 1, nil
		}
		if len(fs) == 0 {
			return 0, nil
		}
		err := all(fs...)
		total := 0
		for i := range fs {
			total += counts[i]
			if errs[i] != nil {
				err = errs[i]
			}
		}
		return total, err
	}
	w.divided(tasks, division{ours: func(c *taskgraph.Context) error {
		var a taskgraph.Args
		fork(c, &a)
		return equal("the number of solutions", int(a.D), want)
	}, theirs: func(all func(fs ...func()) error) error {
		got, err := spread(all, board{})
		if err != nil {
			return err
		}
		return equal("the number of solutions", got, want)
	}})
	w.rows = append(w.rows, tbb.row(tasks, plainJob("nqueens", size)))
	return w
}
