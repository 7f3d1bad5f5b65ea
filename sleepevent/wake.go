package sleepevent

import "math/bits"

// Wake wakes one worker, unless somebody is searching or nobody is idle. It is called after
// work was published; see WakeResult for what it came to. The worker counts as searching
// from before it is woken, so of a burst of wakes one is made and the others do nothing,
// until that worker has found work, looked for more, and wakes the next.
func (g *Group) Wake() WakeResult {
	if g.hot.searching.Load() != 0 { // C1
		return WakeSearching
	}
	if !g.anyIdle() { // C2
		return WakeNone
	}
	return g.wakeSlow()
}

// wakeSlow is Wake when it saw nobody searching and somebody idle.
func (g *Group) wakeSlow() WakeResult {
	for {
		if !g.hot.searching.CompareAndSwap(0, 1) { // C3: count first
			return WakeSearching
		}
		if i := g.claim(); i >= 0 { // C4
			return g.rouse(i)
		}
		// Nobody was left to wake. Until now the count stood for no worker, and somebody may
		// have skipped a wake on account of it: that wake is owed, so begin again.
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
	return g.rouse(worker)
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
	// Drowsers of all words first; a word is settled when it was seen without one.
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

// rouse ends the rest of a worker whose wake the caller owns.
func (g *Group) rouse(i int) WakeResult {
	w := &g.workers[i]
	// C5. It may be running already: it saw the bit cleared, or an older wake came late.
	if State(w.state.Swap(uint32(StateRunning))) != StateSleeping {
		return WakeDrowsing
	}
	if w.parker.Unpark() {
		g.kernelWakes.Add(1)
	}
	return WakeSleeping
}
