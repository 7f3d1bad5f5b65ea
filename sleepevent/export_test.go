package sleepevent

import (
	"math"

	"github.com/heddle-go/heddle/internal/park"
)

// ParkTwoPhase lets tests and benchmarks compare the fallback parker.
const ParkTwoPhase = ParkGo + 1

func init() { modes = append(modes, park.TwoPhase) }

// AsShipped calls f where there are no constants of Park but those that a program has.
func AsShipped(f func()) {
	all := modes
	defer func() { modes = all }()
	modes = all[:ParkTwoPhase]
	f()
}

// PerWord is the number of workers in a word of the idle set.
const PerWord = perWord

// Own is the first half of WakeWorker: it claims the wake.
func (g *Group) Own(worker int) bool { return g.own(worker) }

// Rouse is the second half.
func (g *Group) Rouse(worker int) WakeResult { return g.rouse(worker, false) }

// Claim takes the worker out of the idle set that Wake would take.
func (g *Group) Claim() int { return g.claim() }

// Publish puts a worker into the idle set that runs no Idle, for tests of Claim.
func (g *Group) Publish(worker int, drowsing bool) {
	_, word, idle := g.at(worker)
	if drowsing {
		idle |= idle << perWord
	}
	word.Or(idle)
}

// Budget returns a worker's drowse budget.
func (g *Group) Budget(worker int) int64 { return g.workers[worker].budget.Time() }

// Shrink has the worker drowse for next to nothing, until a rest restores the full budget.
func (g *Group) Shrink(worker int) {
	b := &g.workers[worker].budget
	b.Init(g.full, 1)
	for b.Time() > 10 {
		b.Learn(math.MaxInt64)
	}
}

// Limited reports whether the worker's first sleep, or a later one, has a limit; HasNoLimit whether
// the last that has begun has none. Either may be told of the sleep before, for a moment.
func (g *Group) Limited(worker int) bool {
	limit := g.workers[worker].limit.Load()
	return limit != 0 && limit != never
}
func (g *Group) HasNoLimit(worker int) bool { return g.workers[worker].limit.Load() == never }

// MarkClosed is the first half of Close.
func (g *Group) MarkClosed() { g.closed.Store(true) }

// WakeSlow is Wake after it saw nobody searching and somebody idle.
func (g *Group) WakeSlow() WakeResult { return g.wakeSlow(false) }

// WakeCounted is what WakeN does after it looked at the count and the idle set.
func (g *Group) WakeCounted(searching, counts int32) (up int, again bool) {
	return g.wakeCounted(searching, counts)
}

// Idles reports whether the worker is in the idle set.
func (g *Group) Idles(worker int) bool {
	_, word, idle := g.at(worker)
	return word.Load()&idle != 0
}

// EndState and Unpark are the two halves of Rouse; EndState reports whether Unpark is owed.
func (g *Group) EndState(worker int) bool {
	return State(g.workers[worker].state.Swap(uint32(StateRunning))) == StateSleeping
}
func (g *Group) Unpark(worker int) { g.workers[worker].parker.Unpark() }

// TakePermit takes the permit of a worker that is not inside Idle, and reports whether there
// was one, which breaks I4.
func (g *Group) TakePermit(worker int) bool { return g.workers[worker].parker.TryPark() }

// Drowsers returns how many workers drowse.
func (g *Group) Drowsers() int { return int(g.drowsers.Load()) }

// KeepAwake has a Signal's waiter stay awake for d, until it has learned.
func (s *Signal) KeepAwake(d int64) { s.budget.Init(d, 1) }

// Budget returns for how long the next wait stays awake.
func (s *Signal) Budget() int64 { return s.budget.Time() }
