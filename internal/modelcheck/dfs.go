package modelcheck

import "math"

// Unbounded is the preemption bound of a search that leaves nothing out.
const Unbounded = math.MaxInt

// DepthFirst explores every execution with at most a given number of preemptions, that is of
// switches away from a thread that could have continued (Musuvathi and Qadeer, "Iterative Context
// Bounding", PLDI 2007).
type DepthFirst struct {
	observer
	bound int
	stack []branch
	depth int
	used  int // preemptions so far
	past  uint32
}

// A branch is a point at which there was more than one choice.
type branch struct {
	enabled, tried set
	cur            int8
	chosen         int8 // thread; -1: a choice of v among n
	v, n           uint8
	used           int
	past           uint32 // a hash of the steps before
}

// elsewhere is the failure of a program that does not depend on the schedule alone.
const elsewhere = "the same schedule led to another state: is there something random, or shared " +
	"between executions?"

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

func (x *DepthFirst) begin(*Engine) { x.depth, x.used, x.past = 0, 0, 0 }

//go:norace
func (x *DepthFirst) did(_ *Engine, t *thread, ev event) {
	x.past = (x.past ^ uint32(ev.word)<<16 ^ uint32(ev.op)<<8 ^ uint32(t.id)) * 0x9e3779b1
	x.past ^= x.past >> 15
}

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
		x.stack = append(x.stack,
			branch{enabled: enabled, tried: 1 << first, cur: int8(cur), chosen: int8(first),
				used: x.used, past: x.past})
	}
	b := &x.stack[d]
	if b.chosen < 0 || b.enabled != enabled || b.past != x.past {
		e.fail(KindDeterminism, elsewhere)
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
		x.stack = append(x.stack, branch{chosen: -1, n: uint8(n - 1), past: x.past})
	}
	b := &x.stack[d]
	if b.chosen >= 0 || int(b.n) != n-1 || b.past != x.past {
		e.fail(KindDeterminism, elsewhere)
		return 0
	}
	return int(b.v)
}

func (x *DepthFirst) end(e *Engine) bool {
	if x.depth < len(x.stack) {
		e.fail(KindDeterminism, elsewhere)
		return false
	}
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
