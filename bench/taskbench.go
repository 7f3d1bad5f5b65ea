package main

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Task Bench: Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel
// Runtime Performance", SC 2020. Its patterns of dependencies, and its measure of overhead.

// A point of a pattern is a task.
type point struct{ step, index int }

// A pattern is a grid of tasks, each of which depends on some of the step before.
type pattern struct {
	kind         string
	steps, width int
	radix        int // how many neighbours count, for those that have a choice
	period       int // after how many steps the choice repeats
}

// patternKinds are all that there are.
var patternKinds = []string{"trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "dom",
	"tree", "fft", "all_to_all", "nearest", "spread", "random_nearest"}

// fraction is how many of the neighbours random_nearest keeps.
const fraction = 0.25

// window returns the points that a step has.
func (p pattern) window(step int) (from, to int) {
	switch p.kind {
	case "dom":
		from = max(0, step+p.width-p.steps)
		return from, from + min(p.width, step+1, p.steps-step)
	case "tree":
		if step < 31 {
			return 0, min(p.width, 1<<step)
		}
	}
	return 0, p.width
}

// wants returns the points of the step before that a point depends on, whether they exist or
// not, in any order.
func (p pattern) wants(step, i int) []int {
	window := func(radix int) (from, to int) { return i - radix/2, i + (radix-1)/2 }
	span := func(from, to int) (all []int) {
		for at := from; at <= to; at++ {
			all = append(all, at)
		}
		return all
	}
	switch p.kind {
	case "trivial":
		return nil
	case "no_comm":
		return []int{i}
	case "stencil_1d":
		return span(i-1, i+1)
	case "stencil_1d_periodic":
		return []int{(i + p.width - 1) % p.width, i, (i + 1) % p.width}
	case "dom":
		return span(i-1, i)
	case "tree":
		return []int{i / 2}
	case "fft":
		levels := bits.Len(uint(p.width - 1))
		reach := 1 << ((step + levels - 1) % levels)
		return []int{i - reach, i, i + reach}
	case "all_to_all":
		return span(0, p.width-1)
	case "nearest":
		return span(window(p.radix))
	case "spread":
		set := step % p.period
		var all []int
		for k := range p.radix {
			at := i + k*p.width/p.radix
			if k > 0 {
				at += set
			}
			all = append(all, at%p.width)
		}
		return all
	case "random_nearest":
		set := step % p.period
		return slices.DeleteFunc(span(window(p.radix)), func(at int) bool {
			return at != i && p.random(set, at, i) >= fraction
		})
	}
	panic("bench: no such pattern: " + p.kind)
}

// random returns a number in [0, 1) that belongs to an edge.
func (p pattern) random(set, from, to int) float64 {
	var key [16]byte
	for i := range 15 {
		key[i] = byte(i + 1)
	}
	return float64(siphash(key, 0, uint64(p.radix), uint64(set), uint64(from),
		uint64(to))) / math.Exp2(64)
}

// shape returns the tasks step by step, and their dependencies in ascending order.
func (p pattern) shape() *shape {
	var preds [][]uint32
	var at []point
	first, from, to := 0, 0, 0 // of the step before
	for step := range p.steps {
		begin := len(preds)
		lo, hi := p.window(step)
		for i := lo; i < hi; i++ {
			var before []uint32
			if step > 0 {
				wants := p.wants(step, i)
				slices.Sort(wants)
				for _, w := range slices.Compact(wants) {
					if from <= w && w < to {
						before = append(before, uint32(first+w-from))
					}
				}
			}
			preds = append(preds, before)
			at = append(at, point{step, i})
		}
		first, from, to = begin, lo, hi
	}
	g := newShape(p.kind, preds)
	g.at = at
	return g
}

// A taskBench runs a shape whose tasks compute, and look whether their inputs are what their
// predecessors have left.
type taskBench struct {
	shape  *shape
	rounds int   // of the kernel, in each task
	each   []int // instead, if not nil
	run    uint32
	cells  []cell
	wrong  atomics.Int64 // tasks with an input that was not there, or not right
}

// A cell is what a task leaves: its place, and how often it has run. It has a cache line.
type cell struct {
	at     point
	runs   uint32
	result uint64
	_      [32]byte
}

func newTaskBench(g *shape) *taskBench {
	b := &taskBench{shape: g, cells: make([]cell, g.len())}
	for i := range b.cells {
		b.cells[i].at = point{-1, -1}
	}
	return b
}

// place returns the point of a task.
func (b *taskBench) place(i uint32) point {
	if b.shape.at == nil {
		return point{0, int(i)}
	}
	return b.shape.at[i]
}

// body returns that of a task.
func (b *taskBench) body(i int) func() {
	preds, out, at := b.shape.preds[i], &b.cells[i], b.place(uint32(i))
	if b.each != nil {
		rounds := b.each[i]
		return func() { b.execute(preds, out, at, rounds) }
	}
	return func() {
		for _, p := range preds {
			if in := &b.cells[p]; in.runs != b.run || in.at != b.place(p) {
				b.wrong.Add(1)
			}
		}
		out.result = kernel(b.rounds)
		out.at = at
		out.runs++
	}
}

// execute is the body of a task of so many rounds.
func (b *taskBench) execute(preds []uint32, out *cell, at point, rounds int) {
	for _, p := range preds {
		if in := &b.cells[p]; in.runs != b.run || in.at != b.place(p) {
			b.wrong.Add(1)
		}
	}
	out.result = kernel(rounds)
	out.at = at
	out.runs++
}

// pass runs all tasks once and checks that each ran once, with the right inputs.
func (b *taskBench) pass(run func() error) error {
	b.run++
	if err := run(); err != nil {
		return err
	}
	return b.check()
}

func (b *taskBench) check() error {
	for i := range b.cells {
		if n := b.cells[i].runs; n != b.run {
			return fmt.Errorf("task %v ran %d times in %d runs", b.place(uint32(i)), n, b.run)
		}
	}
	if n := b.wrong.Load(); n > 0 {
		return fmt.Errorf("%d times an input was missing or wrong", n)
	}
	return nil
}

// checkResults compares what tasks of different lengths have left with what it must be.
func (b *taskBench) checkResults() error {
	for i, rounds := range b.each {
		if want := kernel(rounds); b.cells[i].result != want {
			return fmt.Errorf("task %v left %d and not %d", b.place(uint32(i)), b.cells[i].result,
				want)
		}
	}
	return nil
}

// kernel computes so many rounds, each of which needs the one before: Go and C++ make the same
// instructions of it, unlike of what could be vectorized. After Marsaglia, "Xorshift RNGs", 2003.
func kernel(rounds int) uint64 {
	x := uint64(0x9e3779b97f4a7c15)
	for range rounds {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
