package sleepevent

import (
	"math"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Idle is called by a worker that is counted as searching and found nothing. The worker
// leaves the count, is published as idle, and calls rescan once, which looks for work in
// every place once more and reports whether there is some. If so, Idle returns; if not, the
// worker drowses, then sleeps, until a wake or Close.
//
// When Idle returns the worker is running, no longer idle, and counted as searching again, whatever
// ended the wait. There may be nothing to find: the caller looks, and comes back if so. Rescan may
// take work for the caller instead of only looking; it must not block or call Idle; it may call
// Wake. If it panics, or ends its goroutine, Idle ends as if it had found something.
//
// Idle panics if there is no such worker, if that worker is idle already, if nobody is counted as
// searching, or if rescan is nil. That changes nothing in the Group. After Close only the first is
// looked at.
func (g *Group) Idle(worker int, rescan func() bool) { g.idle(worker, rescan, never) }

// IdleTimeout is Idle with a time limit, for a worker that has something of its own to do
// after a while: it returns after about d at the latest. The result is false if nothing but the
// limit ended the wait: rescan found nothing, nobody woke the worker, and it was not an earlier
// moment, that of KeepAwake. Where a wake and the limit meet, the result says whose the wake is:
// true, this worker's; false, the waker found it gone and saw to another.
//
// Whatever the result, the worker is counted as searching again: before it turns to something
// of its own it calls EndSearch, and looks, as always. With d not positive IdleTimeout does
// not wait: it calls rescan and returns. After Close the result is true. It panics where Idle does.
func (g *Group) IdleTimeout(worker int, rescan func() bool, d time.Duration) bool {
	deadline := int64(past)
	if d > 0 {
		deadline = later(atomics.Now(), int64(d))
	}
	return g.idle(worker, rescan, deadline)
}

// Deadlines that are not moments.
const (
	never = math.MaxInt64 // wait without a time limit
	past  = math.MinInt64 // do not wait
)

// later returns the moment d after now, or never if that overflows.
func later(now, d int64) int64 {
	if end := now + d; end >= now {
		return end
	}
	return never
}

// outcome says what ended a rest, or a part of one.
type outcome uint8

const (
	spent    outcome = iota // nothing: there was no rest, or only the drowsing is over
	told                    // a waker, while the worker was awake
	unparked                // a waker, by its Unpark
	expired                 // the time limit
	due                     // the moment that KeepAwake named, before the limit
)

// idle is Idle with a deadline. It reports whether something other than the deadline ended it.
func (g *Group) idle(worker int, rescan func() bool, deadline int64) bool {
	w, word, idle := g.at(worker)
	drowsing := idle << perWord
	if g.closed.Load() {
		return true
	}
	if rescan == nil {
		panic("sleepevent: Idle with a nil rescan")
	}
	if !w.state.CompareAndSwap(uint32(StateRunning), uint32(StateDrowsing)) {
		panic("sleepevent: Idle for a worker that is idle already")
	}
	if g.hot.searching.Add(-1) < 0 { // A1: before the rescan, or the rescan proves nothing
		w.state.Store(uint32(StateRunning))
		g.uncounted()
	}
	word.Or(idle | drowsing)               // A2: publish
	found := g.look(w, word, idle, rescan) // A3
	how := spent
	if !found && !g.closed.Load() { // A4
		how = expired
		if deadline != past {
			how = g.rest(worker, word, drowsing, deadline)
		}
	}
	own := g.rise(w, word, idle, found, how)
	if own && how >= expired {
		w.timeouts.Add(1)
		return how == due
	}
	return true
}

// look calls rescan. If that panics, or ends the goroutine, the worker leaves the idle set.
func (g *Group) look(w *worker, word *atomics.Uint64, idle uint64,
	rescan func() bool) (found bool) {
	returned := false
	defer func() {
		if !returned {
			g.rise(w, word, idle, true, spent)
		}
	}()
	found = rescan()
	returned = true
	return found
}

// rest drowses, then sleeps, until the state is StateRunning or the deadline has passed.
func (g *Group) rest(worker int, word *atomics.Uint64, drowsing uint64, deadline int64) outcome {
	w, start := &g.workers[worker], atomics.Now()
	drowsed, how := g.drowse(worker, start, deadline)
	if how != spent {
		return how
	}
	// A5: from now on wakers count the worker among the sleepers.
	word.And(^drowsing)
	// A6: fails if a waker was there first.
	if !w.state.CompareAndSwap(uint32(StateDrowsing), uint32(StateSleeping)) {
		return told
	}
	w.parks.Add(1)
	atEnd := expired
	// The limit is told before the moment of KeepAwake is looked at, which stores that and then
	// looks at the limits of sleepers: so one of the two sees the other's.
	w.limit.Store(deadline)
	if from := g.kept.from.Load(); from < deadline && from > start && g.kept.has(worker) {
		deadline, atEnd = from, due
		w.limit.Store(deadline)
	}
	how = w.sleep(deadline)
	switch {
	case !drowsed:
	case how == expired:
		w.budget.Learn(atomics.Now() - start)
	default:
		w.budget.Learn(w.woken.Load() - start) // without the time that the wake took
	}
	if how == expired {
		how = atEnd
	}
	return how
}

// sleep waits for the Unpark of the waker that ends StateSleeping, or ends that state itself
// when the deadline has passed.
func (w *worker) sleep(deadline int64) outcome {
	if deadline == never {
		w.parker.Park() // A7
		return unparked
	}
	if w.parker.ParkTimeout(time.Duration(deadline - atomics.Now())) { // A7
		return unparked
	}
	// A8: a swap, because one step must both end the state and tell whether a waker has ended it.
	if State(w.state.Swap(uint32(StateRunning))) == StateSleeping {
		return expired
	}
	// A9: a waker has, and its Unpark has come or will come. If left alone, its permit would end a
	// later sleep by mistake.
	w.parker.Park()
	return unparked
}

// rise takes the worker out of the idle set and makes sure that it is counted once. It reports
// whether the worker's own step took it out.
func (g *Group) rise(w *worker, word *atomics.Uint64, idle uint64, found bool,
	how outcome) (own bool) {
	// B1. A waker that owns this wake may not have swapped the state yet: it will find
	// StateRunning, or a later rest, which it then ends early. The state is not StateSleeping, so
	// no waker that finds it earlier makes an Unpark.
	if State(w.state.Load()) != StateRunning {
		w.state.Store(uint32(StateRunning))
	}
	// B2. Only this worker sets the bit, so a bit seen clear stays clear.
	if word.Load()&idle != 0 && word.And(^(idle|idle<<perWord))&idle != 0 { // LP(withdraw)
		g.hot.searching.Add(1) // I2: cleared here, counted here
		w.withdrawals.Add(1)
		return true
	}
	// A waker cleared the bit and counted this worker. If the rescan has also found something, the
	// wake is owed to other work: EndSearch, and the look that follows it, pass it on.
	if how != unparked {
		w.drowseWakes.Add(1)
	}
	if found {
		w.swallowed.Add(1)
	}
	return false
}

// drowse spins until the worker is woken, its budget and the time of KeepAwake are spent, or the
// deadline has passed. It looks at its own state alone, after each pause.
func (g *Group) drowse(worker int, start, deadline int64) (drowsed bool, how outcome) {
	if !g.admitDrowser(worker, start) {
		return false, spent
	}
	w := &g.workers[worker]
	w.drowses.Add(1)
	budget := w.budget.Time()
	if start-g.kept.until.Load() < recently {
		budget = max(budget, g.full/4)
	}
	end := later(start, budget)
	spinning := &w.spinning
	spinning.BeginAt(start)
	for how = told; State(w.state.Load()) != StateRunning; {
		if !spinning.Pause(1) {
			continue
		}
		if now := spinning.Now(); now >= deadline {
			how = expired
			break
		} else if now >= end && !g.kept.awake(worker, now) {
			how = spent
			break
		}
	}
	g.drowsers.Add(-1)
	return true, how
}

// recently is for how long, in nanoseconds, workers drowse for at least a quarter of the full
// budget after a time of KeepAwake: the next KeepAwake then finds them awake, and need not wake
// them.
const recently = 100_000_000

// admitDrowser counts the caller as a drowser unless there are enough.
func (g *Group) admitDrowser(worker int, now int64) bool {
	limit := g.max
	if limit == 0 {
		limit = runtime.GOMAXPROCS(0) / 2 // it may change without notice, so ask each time
		if g.kept.awake(worker, now) {
			limit = runtime.GOMAXPROCS(0) - 1
		}
	}
	if int(g.drowsers.Load()) >= limit {
		return false
	}
	if int(g.drowsers.Add(1)) > limit {
		g.drowsers.Add(-1)
		return false
	}
	return true
}
