package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/taskgraph"
)

// leafSide is the side of the blocks that matmul multiplies at once.
const leafSide = 32

// A product is c += a*b for square matrices of one side, row by row.
type product struct {
	side    int
	a, b, c []float32
}

// leaf multiplies one block.
func (p *product) leaf(row, column, inner int) {
	for i := row; i < row+leafSide; i++ {
		out := p.c[i*p.side+column:][:leafSide]
		for k := inner; k < inner+leafSide; k++ {
			f, in := p.a[i*p.side+k], p.b[k*p.side+column:][:leafSide]
			for j, v := range in {
				out[j] += f * v
			}
		}
	}
}

// quarters calls f for the four products that may run beside each other in each of two halves.
func quarters(size int, half int, f func(i, row, column, inner int)) {
	h := size / 2
	for i := range 4 {
		f(i, i/2*h, i%2*h, half*h)
	}
}

// matmulWorkload multiplies matrices by halves, down to blocks.
func matmulWorkload(side int) *workload {
	leaves := side / leafSide * side / leafSide * side / leafSide
	p := &product{side: side, a: make([]float32, side*side), b: make([]float32, side*side),
		c: make([]float32, side*side)}
	for i := range p.a {
		p.a[i], p.b[i] = 1, 1
	}
	check := func() error {
		for i, v := range p.c {
			if v != float32(side) {
				return fmt.Errorf("element %d of the product is %v and not %d", i, v, side)
			}
		}
		return nil
	}
	w := &workload{name: "matmul",
		title: fmt.Sprintf("the product of two matrices of %d by %d, by halves down to blocks of "+
			"%d by %d; n is the number of those", side, side, leafSide, leafSide), unit: "ns/block",
		n: leaves}
	pack := func(row, column, inner, size int) taskgraph.Args {
		return taskgraph.Args{A: int64(row), B: int64(column), C: int64(inner), D: int64(size)}
	}
	var fork func(c *taskgraph.Context, a *taskgraph.Args)
	fork = func(c *taskgraph.Context, a *taskgraph.Args) {
		row, column, inner, size := int(a.A), int(a.B), int(a.C), int(a.D)
		if size == leafSide {
			p.leaf(row, column, inner)
			return
		}
		for half := range 2 {
			var joins [4]taskgraph.Join
			quarters(size, half, func(i, r, col, k int) {
				joins[i] = c.Fork(fork, pack(row+r, column+col, inner+k, size/2))
			})
			for _, j := range slices.Backward(joins[:]) {
				j.Wait()
			}
		}
	}
	var spread func(all func(fs ...func()) error, row, column, inner, size int) error
	spread = func(all func(fs ...func()) error, row, column, inner, size int) error {
		if size == leafSide {
			p.leaf(row, column, inner)
			return nil
		}
		for half := range 2 {
			var fs [4]func()
			var errs [4]error
			quarters(size, half, func(i, r, col, k int) {
				fs[i] = func() { errs[i] = spread(all, row+r, column+col, inner+k, size/2) }
			})
			if err := all(fs[:]...); err != nil {
				return err
			}
			if err := errors.Join(errs[:]...); err != nil {
				return err
			}
		}
		return nil
	}
	return w.divided(leaves, division{
		before: func() { clear(p.c) },
		ours: func(c *taskgraph.Context) error {
			a := pack(0, 0, 0, side)
			fork(c, &a)
			return nil
		},
		theirs: func(all func(fs ...func()) error) error { return spread(all, 0, 0, 0, side) },
		after:  check,
	})
}
