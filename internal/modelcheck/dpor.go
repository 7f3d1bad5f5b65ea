package modelcheck

import "math"

// DPOR explores one execution of each class of executions that differ only in the order of
// independent steps, by source sets with sleep sets (Abdulla, Aronis, Jonsson and Sagonas, "Optimal
// Dynamic Partial Order Reduction", POPL 2014, algorithm 1).
//
// The classes refine those of the paper in one point: the last step of an operation and the first
// step of another depend on each other, so that it explores each order of operations that a history
// can show.
//
// This file makes an execution step by step and notes what each step depends on; reversal.go looks
// for the steps that must also be tried in another order.
type DPOR struct {
	stack []node
	depth int
	fresh int // nodes from here on are new in this execution

	// Of the current execution.
	clocks    [MaxThreads]clock // of each thread's last step
	lastEvent [MaxThreads]int   // node of it, -1: none
	lastFirst [MaxThreads]int   // node of the last step that began an operation
	lastLast  [MaxThreads]int   // node of the last step that ended one
	words     []wordState

	// Of the last step. What it depends on is known only when the next is announced, since it may
	// still end an operation.
	last   int
	before clock               // of the thread before the step
	racing [4 * MaxThreads]int // nodes that the step depends on directly
	races  int
}

// A clock holds for each thread the number of its steps' nodes that come before something:
// node i of thread t does if clock[t] > i.
type clock [MaxThreads]uint16

// A wordState holds the last steps on a word: node+1, or 0.
type wordState struct {
	epoch uint32
	write uint16
	reads [MaxThreads]uint16 // since that write
}

// A node is a step of the current execution, or a choice.
type node struct {
	thread                          int8 // -1: a choice of v among n+1
	v, n                            uint8
	enabled, sleep, backtrack, done set
	ev                              event
	info                            [MaxThreads]event // next step of each thread in sleep or done
	clock                           clock
}

// NewDPOR returns a search of all classes.
func NewDPOR() *DPOR { return &DPOR{stack: make([]node, 0, 1024)} }

// Name implements Explorer.
func (x *DPOR) Name() string { return "dpor" }

func (x *DPOR) begin(*Engine) {
	x.depth, x.last, x.races = 0, -1, 0
	x.clocks = [MaxThreads]clock{}
	for i := range x.lastEvent {
		x.lastEvent[i], x.lastFirst[i], x.lastLast[i] = -1, -1, -1
	}
}

//go:norace
func (x *DPOR) spawn(_ *Engine, parent, child *thread) {
	if parent != nil {
		x.clocks[child.id] = x.clocks[parent.id]
		x.lastEvent[child.id] = x.lastEvent[parent.id] // for an operation without a step
	}
}

//go:norace
func (x *DPOR) pick(e *Engine, cur int, enabled set) int {
	x.reverse()
	d := x.depth
	if d < len(x.stack) {
		n := &x.stack[d]
		if n.thread < 0 || n.enabled != enabled {
			e.fail(KindDeterminism, elsewhere)
			return -1
		}
		x.depth++
		return int(n.thread)
	}
	if x.full(e) {
		return -1
	}
	n := node{enabled: enabled}
	if p := x.lastStep(d); p >= 0 {
		parent := &x.stack[p]
		for s := parent.sleep | parent.done; s != 0; s &= s - 1 {
			q := lowest(s)
			if !dependent(parent.info[q], parent.ev) {
				n.sleep |= 1 << q
				n.info[q] = parent.info[q]
			}
		}
	}
	avail := enabled &^ n.sleep
	if avail == 0 {
		return -1 // every continuation has been explored elsewhere
	}
	t := cur
	if t < 0 || avail&(1<<t) == 0 {
		t = lowest(avail)
	}
	n.thread = int8(t)
	n.backtrack = 1 << t
	x.stack = append(x.stack, n)
	x.depth++
	return t
}

// full reports, by failing the execution, that there are more nodes than clocks can count.
//
//go:norace
func (x *DPOR) full(e *Engine) bool {
	if len(x.stack) < math.MaxUint16 {
		return false
	}
	e.fail(KindLivelock, "no end after 65535 steps and choices")
	return true
}

// lastStep returns the last node before d that is a step, or -1.
//
//go:norace
func (x *DPOR) lastStep(d int) int {
	for d--; d >= 0 && x.stack[d].thread < 0; d-- {
	}
	return d
}

//go:norace
func (x *DPOR) choose(e *Engine, t *thread, n int) int {
	d := x.depth
	x.depth++
	if d == len(x.stack) {
		x.full(e)
		x.stack = append(x.stack, node{thread: -1, n: uint8(n - 1)})
	}
	b := &x.stack[d]
	if b.thread >= 0 || int(b.n) != n-1 {
		e.fail(KindDeterminism, elsewhere)
		return 0
	}
	// Whether the step before the choice ends or begins an operation may depend on the choice:
	// assume that it does.
	if x.lastEvent[t.id] >= 0 {
		x.opEnd(e, t, true)
	}
	return int(b.v)
}

//go:norace
func (x *DPOR) did(e *Engine, t *thread, ev event) {
	i := x.depth - 1
	n := &x.stack[i]
	if i < x.fresh && (n.ev.word != ev.word || n.ev.op != ev.op) {
		e.fail(KindDeterminism, elsewhere)
	}
	n.ev = ev
	c := x.clocks[t.id]
	x.last, x.before, x.races = i, c, 0
	if ev.word != 0 {
		for len(x.words) <= int(ev.word) {
			x.words = append(x.words, wordState{})
		}
		w := &x.words[ev.word]
		if w.epoch != e.epoch {
			*w = wordState{epoch: e.epoch}
		}
		if w.write != 0 {
			x.depends(int(w.write) - 1)
		}
		if ev.flags&flagWrite == 0 {
			w.reads[t.id] = uint16(i + 1)
		} else {
			for q := range e.n {
				if r := w.reads[q]; r != 0 {
					if q != t.id {
						x.depends(int(r) - 1)
					}
					w.reads[q] = 0
				}
			}
			w.write = uint16(i + 1)
		}
	}
	if ev.flags&flagFirst != 0 {
		x.follows(e, t, &x.lastLast)
		x.lastFirst[t.id] = i
	}
	for _, j := range x.racing[:x.races] {
		c.join(&x.stack[j].clock)
	}
	c[t.id] = uint16(i + 1)
	n.clock = c
	x.clocks[t.id] = c
	x.lastEvent[t.id] = i
	for s := e.woken; s != 0; s &= s - 1 {
		x.clocks[lowest(s)].join(&c)
	}
	if i >= x.fresh {
		// A wake takes the chance to time out from the thread that it wakes, a step that is
		// therefore never seen to race.
		n.backtrack |= e.robbed & n.enabled &^ n.sleep
	}
}

// depends notes that the last step depends on the one of node j.
//
//go:norace
func (x *DPOR) depends(j int) {
	x.racing[x.races] = j
	x.races++
}

// follows notes that the last step, of t, depends on the other threads' last steps of a kind.
//
//go:norace
func (x *DPOR) follows(e *Engine, t *thread, last *[MaxThreads]int) {
	for q := range e.n {
		if j := last[q]; j >= 0 && q != t.id && j != x.last {
			x.depends(j)
		}
	}
}

// opEnd adds what a step depends on as the end of an operation: it was carried out, and no
// other thread has moved since.
//
//go:norace
func (x *DPOR) opEnd(e *Engine, t *thread, first bool) {
	i := x.lastEvent[t.id]
	if i < 0 {
		return
	}
	n := &x.stack[i]
	races := x.races
	if n.ev.flags&flagLast == 0 {
		n.ev.flags |= flagLast
		x.lastLast[t.id] = i
		x.follows(e, t, &x.lastFirst)
	}
	if first && n.ev.flags&flagFirst == 0 {
		n.ev.flags |= flagFirst
		x.lastFirst[t.id] = i
		x.follows(e, t, &x.lastLast)
	}
	for _, j := range x.racing[races:x.races] {
		n.clock.join(&x.stack[j].clock)
	}
	x.clocks[t.id], x.clocks[n.thread] = n.clock, n.clock
}

//go:norace
func (c *clock) join(o *clock) {
	for i, v := range o {
		if v > c[i] {
			c[i] = v
		}
	}
}

func (x *DPOR) end(e *Engine) bool {
	if x.depth < len(x.stack) {
		e.fail(KindDeterminism, elsewhere)
		return false
	}
	x.reverse()
	for len(x.stack) > 0 {
		d := len(x.stack) - 1
		n := &x.stack[d]
		if n.thread < 0 {
			if n.v < n.n {
				n.v++
				x.fresh = len(x.stack)
				return true
			}
		} else {
			n.done |= 1 << n.thread
			n.info[n.thread] = n.ev
			if rest := n.backtrack &^ (n.done | n.sleep); rest != 0 {
				n.thread = int8(lowest(rest))
				x.fresh = d
				return true
			}
		}
		x.stack = x.stack[:d]
	}
	return false
}
