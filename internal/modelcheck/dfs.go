package modelcheck

import "math"

// Unbounded is the preemption bound of a search that leaves nothing out.
const Unbounded = math.MaxInt

// DepthFirst explores every execution with at most a given number of preemptions, that is of
// switches away from a thread that could have gone on (Musuvathi and Qadeer, "Iterative
// Context Bounding", PLDI 2007).
type DepthFirst struct {
	observer
	bound int
	stack []branch
	depth int
	used  int // preemptions so far
}

// A branch is a point at which there was more than one way to go on.
type branch struct {
	enabled, tried set
	cur            int8
	chosen         int8 // thread; -1: a choice of v among n
	v, n           uint8
	used           int
}

// NewDepthFirst returns a search with at most bound preemptions.
func NewDepthFirst(bound int) *DepthFirst {
	return &DepthFirst{bound: bound, stack: make([]branch, 0, 1024)}
}

// Name implements Explorer.
func (x *DepthFirst) Name() string {
	if x.bound == Unbounded {
		return "dfs"
	}
	return "bound" + itoa(x.bound)
}

func (x *DepthFirst) begin(*Engine) { x.depth, x.used = 0, 0 }

//go:norace
func (x *DepthFirst) pick(e *Engine, cur int, enabled set) int {
	if enabled&(enabled-1) == 0 {
		return lowest(enabled)
	}
	d := x.depth
	x.depth++
	if d == len(x.stack) {
		first := cur
		if first < 0 {
			first = lowest(enabled)
		}
		x.stack = append(x.stack, branch{enabled: enabled, tried: 1 << first, cur: int8(cur), chosen: int8(first), used: x.used})
	}
	b := &x.stack[d]
	if b.chosen < 0 || b.enabled != enabled {
		e.fail(KindDeterminism, "the same schedule led to another state: is there something random, or shared between executions?")
		return -1
	}
	if cur >= 0 && int(b.chosen) != cur {
		x.used++
	}
	return int(b.chosen)
}

//go:norace
func (x *DepthFirst) choose(e *Engine, _ *thread, n int) int {
	d := x.depth
	x.depth++
	if d == len(x.stack) {
		x.stack = append(x.stack, branch{chosen: -1, n: uint8(n - 1)})
	}
	b := &x.stack[d]
	if b.chosen >= 0 || int(b.n) != n-1 {
		e.fail(KindDeterminism, "the same schedule led to another choice")
		return 0
	}
	return int(b.v)
}

func (x *DepthFirst) end(*Engine) bool {
	for len(x.stack) > 0 {
		b := &x.stack[len(x.stack)-1]
		if b.chosen < 0 {
			if b.v < b.n {
				b.v++
				return true
			}
		} else if rest := b.enabled &^ b.tried; rest != 0 && (b.cur < 0 || b.used < x.bound) {
			t := lowest(rest)
			b.tried |= 1 << t
			b.chosen = int8(t)
			return true
		}
		x.stack = x.stack[:len(x.stack)-1]
	}
	return false
}
