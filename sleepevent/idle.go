package sleepevent

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Idle is called by a worker that is counted as searching and found nothing. The worker
// leaves the count, is published as idle, and calls rescan once, which looks for work in
// every place once more and reports whether there is some. If so, Idle returns; if not, the
// worker drowses, then sleeps, until a wake or Close.
//
// When Idle returns the worker is running, no longer idle, and counted as searching again,
// whatever ended the wait. There may be nothing to find: the caller looks, and comes back if
// so. Rescan may take work for the caller instead of only looking; it must not block, panic,
// or call Idle; it may call Wake.
//
// Idle panics if there is no such worker, if that worker is idle already, or if nobody is
// counted as searching.
func (g *Group) Idle(worker int, rescan func() bool) {
	w, word, idle := g.at(worker)
	drowsing := idle << perWord
	if g.closed.Load() {
		return
	}
	if State(w.state.Swap(uint32(StateDrowsing))) != StateRunning {
		panic("sleepevent: Idle for a worker that is idle already")
	}
	g.EndSearch()            // A1: before the rescan, or the rescan proves nothing
	word.Or(idle | drowsing) // A2: publish
	found := rescan()        // A3
	slept := false
	if !found && !g.closed.Load() { // A4
		slept = g.rest(w, word, drowsing)
	}
	g.rise(w, word, idle, found, slept)
}

// rest drowses, then sleeps, until the state is StateRunning. It reports whether it slept.
func (g *Group) rest(w *worker, word *atomics.Uint64, drowsing uint64) (slept bool) {
	start := atomics.Now()
	drowsed, woken := g.drowse(w, start)
	if woken {
		w.budget = min(2*w.budget, g.full)
		return false
	}
	// A5: from here on wakers count it among the sleepers.
	word.And(^drowsing)
	// A6: fails if a waker was there first.
	if !w.state.CompareAndSwap(uint32(StateDrowsing), uint32(StateSleeping)) {
		return false
	}
	w.parks.Add(1)
	w.parker.Park() // A7
	if drowsed {
		w.adapt(atomics.Now()-start, g.full)
	}
	return true
}

// adapt sets the next drowse budget after a rest that drowsed in vain: longer if the full
// budget would have spared the sleep, else shorter, but never so short that it cannot grow
// again.
func (w *worker) adapt(rested, full int64) {
	if rested <= full {
		w.budget = min(2*w.budget, full)
	} else {
		w.budget = max(w.budget-w.budget/4, full/16)
	}
}

// rise takes the worker out of the idle set and sees to it that it is counted once.
func (g *Group) rise(w *worker, word *atomics.Uint64, idle uint64, found, slept bool) {
	// B1. A waker that owns this wake may be yet to swap the state: it will find
	// StateRunning, or a later rest, which it then ends early.
	if State(w.state.Load()) != StateRunning {
		w.state.Store(uint32(StateRunning))
	}
	// B2. Only this worker sets the bit, so one seen clear stays clear.
	if word.Load()&idle != 0 && word.And(^(idle|idle<<perWord))&idle != 0 { // LP(withdraw)
		g.hot.searching.Add(1) // I2: cleared here, counted here
		w.withdrawals.Add(1)
		return
	}
	// A waker cleared the bit and counted this worker. If the rescan had found something as
	// well, the count is a debt to the waker's work: EndSearch, and the look that follows
	// it, passes the wake on.
	if !slept {
		w.drowseWakes.Add(1)
	}
	if found {
		w.swallowed.Add(1)
	}
}

// The drowse loop looks at its state after each pause, and at the clock and the Go
// scheduler after drowseRound pauses, which is a few microseconds.
const (
	drowsePause = 4
	drowseRound = 64
)

// drowse spins until the worker is woken or its budget is spent.
func (g *Group) drowse(w *worker, start int64) (drowsed, woken bool) {
	if !g.admitDrowser() {
		return false, false
	}
	w.drowses.Add(1)
	end := start + w.budget
	pause := uint32(1)
	for {
		for n := uint32(0); n < drowseRound; n += pause {
			if State(w.state.Load()) == StateRunning {
				g.drowsers.Add(-1)
				return true, true
			}
			atomics.Pause(pause)
			if pause < drowsePause {
				pause++
			}
		}
		if atomics.Now() >= end {
			g.drowsers.Add(-1)
			return true, false
		}
		atomics.Gosched()
	}
}

// admitDrowser counts the caller as a drowser unless there are enough.
func (g *Group) admitDrowser() bool {
	limit := g.max
	if limit == 0 {
		limit = runtime.GOMAXPROCS(0) / 2 // nothing tells of a change, so ask each time
	}
	if limit <= 0 {
		return false
	}
	if int(g.drowsers.Add(1)) > limit {
		g.drowsers.Add(-1)
		return false
	}
	return true
}
