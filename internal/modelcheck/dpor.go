package modelcheck

// DPOR explores one execution of each class that differs only in the order of steps that do
// not matter to each other: source sets with sleep sets (Abdulla, Aronis, Jonsson and
// Sagonas, "Optimal Dynamic Partial Order Reduction", POPL 2014, algorithm 1).
//
// The classes refine those of the paper in one point: the last step of an operation and the
// first step of another depend on each other, so that each order of operations that a
// history can show is explored.
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
	prev                            int               // node of the step before; choices stand between
	info                            [MaxThreads]event // next step of each thread in sleep or done
	clock                           clock
}

// NewDPOR returns a search of all classes.
func NewDPOR() *DPOR { return &DPOR{stack: make([]node, 0, 1024)} }

// Name implements Explorer.
func (x *DPOR) Name() string { return "dpor" }

func (x *DPOR) begin(*Engine) {
	x.depth = 0
	x.clocks = [MaxThreads]clock{}
	for i := range x.lastEvent {
		x.lastEvent[i], x.lastFirst[i], x.lastLast[i] = -1, -1, -1
	}
}

//go:norace
func (x *DPOR) spawn(_ *Engine, parent, child *thread) {
	if parent != nil {
		x.clocks[child.id] = x.clocks[parent.id]
	}
}

//go:norace
func (x *DPOR) pick(e *Engine, cur int, enabled set) int {
	d := x.depth
	if d < len(x.stack) {
		n := &x.stack[d]
		if n.thread < 0 || e.ready&(1<<n.thread) == 0 {
			e.fail(KindDeterminism, "the same schedule led to another state: is there something random, or shared between executions?")
			return -1
		}
		x.depth++
		return int(n.thread)
	}
	n := node{enabled: enabled, prev: -1}
	if p := x.lastStep(d); p >= 0 {
		n.prev = p
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
		return -1 // all that could be done here has been, elsewhere
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
		x.stack = append(x.stack, node{thread: -1, n: uint8(n - 1)})
	}
	b := &x.stack[d]
	if b.thread >= 0 || int(b.n) != n-1 {
		e.fail(KindDeterminism, "the same schedule led to another choice")
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
	n.ev = ev
	before := x.clocks[t.id]
	c := before

	var racing [2*MaxThreads + 1]int // nodes that the step depends on directly
	races := 0
	if ev.word != 0 {
		for len(x.words) <= int(ev.word) {
			x.words = append(x.words, wordState{})
		}
		w := &x.words[ev.word]
		if w.epoch != e.epoch {
			*w = wordState{epoch: e.epoch}
		}
		if w.write != 0 {
			racing[races] = int(w.write) - 1
			races++
		}
		if ev.flags&flagWrite == 0 {
			w.reads[t.id] = uint16(i + 1)
		} else {
			for q := range e.n {
				if r := w.reads[q]; r != 0 {
					if q != t.id {
						racing[races] = int(r) - 1
						races++
					}
					w.reads[q] = 0
				}
			}
			w.write = uint16(i + 1)
		}
	}
	if ev.flags&flagFirst != 0 {
		for q := range e.n {
			if j := x.lastLast[q]; j >= 0 && q != t.id {
				racing[races] = j
				races++
			}
		}
		x.lastFirst[t.id] = i
	}
	for _, j := range racing[:races] {
		c.join(&x.stack[j].clock)
	}
	c[t.id] = uint16(i + 1)
	n.clock = c
	x.clocks[t.id] = c
	x.lastEvent[t.id] = i
	for s := e.woken; s != 0; s &= s - 1 {
		x.clocks[lowest(s)].join(&c)
	}
	if i < x.fresh {
		return
	}
	for k, j := range racing[:races] {
		x.race(j, i, &before, racing[:races], k)
	}
}

// race notes that steps j and i, of which j came first and both depend on each other, may be
// reversed, unless another step that i depends on comes between.
//
//go:norace
func (x *DPOR) race(j, i int, before *clock, others []int, self int) {
	q := x.stack[j].thread
	if q == x.stack[i].thread || int(before[q]) > j {
		return
	}
	for k, o := range others {
		if k != self && o != j && int(x.stack[o].clock[q]) > j {
			return
		}
	}
	// The steps after j that do not depend on it, and then i: whoever can begin that sequence
	// leads to the reversal.
	var initials, seen set
	var first [MaxThreads]int
	for k := j + 1; k <= i; k++ {
		n := &x.stack[k]
		if n.thread < 0 || k < i && int(n.clock[q]) > j || seen&(1<<n.thread) != 0 {
			continue
		}
		initial := true
		for s := seen; s != 0; s &= s - 1 {
			if r := lowest(s); int(n.clock[r]) > first[r] {
				initial = false
				break
			}
		}
		seen |= 1 << n.thread
		first[n.thread] = k
		if initial {
			initials |= 1 << n.thread
		}
	}
	b := &x.stack[j]
	if initials&b.backtrack != 0 {
		return
	}
	if initials &= b.enabled; initials == 0 {
		return // only who spins there: the turn that it took before is the reversal
	}
	if asleep := initials & b.sleep; asleep != 0 {
		return // explored from an earlier node
	}
	b.backtrack |= initials & -initials
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
	before := n.clock
	var racing [2 * MaxThreads]int
	races := 0
	if n.ev.flags&flagLast == 0 {
		n.ev.flags |= flagLast
		x.lastLast[t.id] = i
		races = x.gather(&racing, races, e, t, &x.lastFirst, &before)
	}
	if first && n.ev.flags&flagFirst == 0 {
		n.ev.flags |= flagFirst
		x.lastFirst[t.id] = i
		races = x.gather(&racing, races, e, t, &x.lastLast, &before)
	}
	for _, j := range racing[:races] {
		n.clock.join(&x.stack[j].clock)
	}
	x.clocks[t.id] = n.clock
	if i < x.fresh {
		return
	}
	for k, j := range racing[:races] {
		x.race(j, i, &before, racing[:races], k)
	}
}

// gather adds the other threads' last nodes of a kind, as far as they do not come before.
//
//go:norace
func (x *DPOR) gather(nodes *[2 * MaxThreads]int, n int, e *Engine, t *thread, last *[MaxThreads]int, before *clock) int {
	for q := range e.n {
		if j := last[q]; j >= 0 && q != t.id && int(before[q]) <= j {
			nodes[n] = j
			n++
		}
	}
	return n
}

//go:norace
func (c *clock) join(o *clock) {
	for i, v := range o {
		if v > c[i] {
			c[i] = v
		}
	}
}

func (x *DPOR) end(*Engine) bool {
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
