package sleepevent

import (
	"math/bits"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Wake wakes one worker, unless somebody is searching or nobody is idle. It is called after work
// was published; see WakeResult for the outcome. The worker counts as searching from before it is
// woken, so of a burst of wakes one is made and the others do nothing, until that worker has found
// work, looked for more, and wakes the next.
func (g *Group) Wake() WakeResult {
	if g.hot.searching.Load() != 0 { // C1
		return WakeSearching
	}
	if !g.anyIdle() { // C2
		return WakeNone
	}
	return g.wakeSlow(false)
}

// WakeElsewhere is Wake for a caller that goes on working. On Linux, if the program may run on two
// processors, a sleeping worker continues on the one where the caller is not: the system itself
// often lets the worker wait behind the caller, while the other processor is idle. That takes two
// microseconds more, and binds the sleeping thread until it is awake; its affinity is then what it
// was before.
func (g *Group) WakeElsewhere() WakeResult {
	if g.hot.searching.Load() != 0 { // C1
		return WakeSearching
	}
	if !g.anyIdle() { // C2
		return WakeNone
	}
	return g.wakeSlow(true)
}

// wakeSlow is Wake when it saw nobody searching and somebody idle.
func (g *Group) wakeSlow(elsewhere bool) WakeResult {
	for {
		if !g.hot.searching.CompareAndSwap(0, 1) { // C3: count first
			return WakeSearching
		}
		if i := g.claim(); i >= 0 { // C4
			return g.rouse(i, elsewhere)
		}
		// Nobody was left to wake. Until now the count stood for no worker, and somebody may have
		// skipped a wake because of it: that wake is owed, so begin again.
		g.hot.searching.Add(-1) // C6
		if !g.anyIdle() {       // C2; C1 is in C3
			return WakeNone
		}
	}
}

// WakeWorker wakes the given worker if it is idle, also while others search. The result is
// WakeNone if it is not idle; then it looks for work before it sleeps. It panics if there is
// no such worker.
func (g *Group) WakeWorker(worker int) WakeResult {
	if !g.own(worker) {
		return WakeNone
	}
	return g.rouse(worker, false)
}

// WakeAll wakes every worker that is idle, and returns how many it woke.
func (g *Group) WakeAll() int {
	n := 0
	for i := range g.workers {
		if g.WakeWorker(i).Woke() {
			n++
		}
	}
	return n
}

// WakeN makes n workers look for work: it wakes idle ones, one for each by which n exceeds the
// number that search already, and returns how many it woke. WakeN(1) is Wake. With n not positive
// it does nothing.
//
// It is called after n pieces of work were published. Wake would bring up as many workers,
// each waking the next; WakeN has them up sooner if the caller has the time: it makes the
// kernel calls for all sleepers among them.
func (g *Group) WakeN(n int) (woken int) {
	for n > 0 {
		searching := g.hot.searching.Load()
		if int(searching) >= n { // N1
			return woken
		}
		counts := min(n-int(searching), g.IdleCount())
		if counts == 0 { // N2
			return woken
		}
		up, again := g.wakeCounted(searching, int32(counts))
		woken += up
		if !again {
			return woken
		}
		n -= up // unused counts are not in up, so n stays positive
	}
	return woken
}

// wakeCounted adds counts to the number of searching workers, last seen as searching, and wakes a
// worker for each. Again: others changed the number, or too few workers were idle.
func (g *Group) wakeCounted(searching, counts int32) (up int, again bool) {
	if !g.hot.searching.CompareAndSwap(searching, searching+counts) { // N3: count first
		return 0, true
	}
	left := g.wakeUpTo(int(counts))
	if left > 0 {
		// As in wakeSlow: the rest of the counts stood for no worker, so somebody may be owed a
		// wake.
		g.hot.searching.Add(-int32(left)) // N6
	}
	return int(counts) - left, left > 0
}

// wakeUpTo wakes a worker for each count that was added, and returns how many counts are left
// because no worker was seen idle.
func (g *Group) wakeUpTo(counts int) (left int) {
	// Drowsers of all words first, then all.
	for _, shift := range [...]int{perWord, 0} {
		for i := range g.words {
			for counts > 0 {
				v := g.words[i].Load()
				chosen := lowest(uint32(v>>shift), counts)
				if chosen == 0 {
					break
				}
				// N4, LP(WakeN)
				if !g.words[i].CompareAndSwap(v, v&^(uint64(chosen)|uint64(chosen)<<perWord)) {
					continue
				}
				for ; chosen != 0; chosen &= chosen - 1 {
					g.rouse(i*perWord+bits.TrailingZeros32(chosen), false) // N5
					counts--
				}
			}
		}
	}
	return counts
}

// lowest returns the n lowest bits that are set in v, or all if there are not as many.
func lowest(v uint32, n int) uint32 {
	above := v
	for ; n > 0 && above != 0; n-- {
		above &= above - 1
	}
	return v &^ above
}

// anyIdle reports whether it saw an idle bit.
func (g *Group) anyIdle() bool {
	for i := range g.words {
		if g.words[i].Load() != 0 {
			return true
		}
	}
	return false
}

// claim takes a worker out of the idle set, a drowsing one if there is one, the lowest
// number first, and returns it; -1 if it saw each worker not idle. The caller owns the wake.
func (g *Group) claim() int {
	// Drowsers of all words first; a word is done when it was seen without one.
	for i := range g.words {
		for v := g.words[i].Load(); v>>perWord != 0; v = g.words[i].Load() {
			if n, ok := g.take(i, v); ok {
				return n
			}
		}
	}
	for i := range g.words {
		for v := g.words[i].Load(); v != 0; v = g.words[i].Load() {
			if n, ok := g.take(i, v); ok {
				return n
			}
		}
	}
	return -1
}

// take clears the bits of the worker to wake first in word i, last seen as v, which has one.
func (g *Group) take(i int, v uint64) (worker int, ok bool) {
	first := uint32(v >> perWord)
	if first == 0 {
		first = uint32(v)
	}
	n := bits.TrailingZeros32(first)
	idle := uint64(1) << n
	ok = g.words[i].CompareAndSwap(v, v&^(idle|idle<<perWord)) // LP(Wake)
	return i*perWord + n, ok
}

// own takes the given worker out of the idle set. True: the caller owns the wake.
func (g *Group) own(worker int) bool {
	_, word, idle := g.at(worker)
	if word.Load()&idle == 0 {
		return false
	}
	g.hot.searching.Add(1)                         // C3
	if word.And(^(idle|idle<<perWord))&idle != 0 { // C4, LP(WakeWorker)
		return true
	}
	g.hot.searching.Add(-1) // C6
	g.Wake()                // as in Wake: the count may have cost somebody a wake
	return false
}

// rouse ends the rest of a worker whose wake belongs to the caller.
func (g *Group) rouse(i int, elsewhere bool) WakeResult {
	w := &g.workers[i]
	// C5. The worker may be running already: it saw the bit cleared, or an older wake came late.
	if State(w.state.Swap(uint32(StateRunning))) != StateSleeping {
		return WakeDrowsing
	}
	w.woken.Store(atomics.Now())
	kernel := false
	if elsewhere {
		kernel = w.parker.UnparkElsewhere()
	} else {
		kernel = w.parker.Unpark()
	}
	if kernel {
		g.kernelWakes.Add(1)
	}
	return WakeSleeping
}
