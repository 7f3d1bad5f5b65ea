package modelcheck

// reverse looks for the races of the last step.
//
//go:norace
func (x *DPOR) reverse() {
	if x.last >= x.fresh && x.last < x.depth {
		for k, j := range x.racing[:x.races] {
			x.race(j, x.last, k)
		}
		if x.stack[x.last].ev.flags&(flagFirst|flagLast) != 0 {
			x.latent(x.last)
		}
	}
	x.last = -1
	x.races = 0
}

// latent looks for steps i of other threads that do not depend on step k, which begins or ends an
// operation, but would if they had gone before a step j: then i would have found another value, and
// might have ended an operation itself. The race of j and i must also be reversed with k before i.
//
//go:norace
func (x *DPOR) latent(k int) {
	c, by := &x.stack[k].clock, x.stack[k].thread
	for i := k - 1; i > 0; i-- {
		n := &x.stack[i]
		if n.thread < 0 || n.thread == by || int(c[n.thread]) > i || n.ev.word == 0 ||
			n.ev.op == opStore {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			m := &x.stack[j]
			if m.thread < 0 || m.ev.word != n.ev.word || m.ev.flags&flagWrite == 0 {
				continue
			}
			if m.thread != n.thread && m.thread != by && int(c[m.thread]) <= j {
				x.add(j, x.initials(j, k, -1))
			}
			break
		}
	}
}

// race notes that steps j and i, of which j came first and both depend on each other, may be
// reversed, unless another step that i depends on comes between.
//
//go:norace
func (x *DPOR) race(j, i, self int) {
	q := x.stack[j].thread
	if q == x.stack[i].thread || int(x.before[q]) > j {
		return
	}
	for k, o := range x.racing[:x.races] {
		if k != self && o != j && int(x.stack[o].clock[q]) > j {
			return
		}
	}
	// Step i may find another value if it goes before j, and so turn out to end an operation, or
	// not to: then it depends on who begins one.
	varies := -1
	if n := &x.stack[j]; n.ev.word == x.stack[i].ev.word && n.ev.word != 0 &&
		n.ev.flags&flagWrite != 0 {
		varies = i
	}
	x.add(j, x.initials(j, i, varies))
}

// initials returns who can begin the sequence of the steps after j that do not depend on it, up
// to i and including it. The step varies, if there is one, depends on who begins or ends an
// operation.
//
//go:norace
func (x *DPOR) initials(j, i, varies int) set {
	q := x.stack[j].thread
	var initials, seen set
	var first [MaxThreads]int
	var between uint8 // flags of the other threads' steps
	for k := j + 1; k <= i; k++ {
		n := &x.stack[k]
		if n.thread < 0 || k < i && int(n.clock[q]) > j {
			continue
		}
		if n.thread != x.stack[i].thread {
			between |= n.ev.flags
		}
		if seen&(1<<n.thread) != 0 {
			continue
		}
		initial := k != varies || between&(flagFirst|flagLast) == 0
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
	return initials
}

// add lets one of the threads go at node j, unless one does already.
//
//go:norace
func (x *DPOR) add(j int, initials set) {
	b := &x.stack[j]
	if initials&b.backtrack != 0 {
		return
	}
	if initials &= b.enabled; initials == 0 {
		return // only spinning threads: their earlier turn is the reversal
	}
	if initials&b.sleep != 0 {
		return // explored from an earlier node
	}
	b.backtrack |= initials & -initials
}
