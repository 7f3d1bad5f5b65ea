package spin

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/yield"
)

// WakeTakes is how long, in nanoseconds, a sleeper takes at most to wake up after the end of what
// it waits for.
const WakeTakes = 100_000

// The pause between two looks that disturb others grows by one every looksGrow looks, up to the
// longest.
const (
	looksGrow    = 8
	longestPause = 30
)

// turnEvery is for how long, in nanoseconds, waits of less than a few rounds may follow each other
// before others get a turn: a tenth of the Go scheduler's time slice, and a thousand times the cost
// of asking it.
const turnEvery = 100_000

// A Wait is the spinning part of a wait, or of successive waits of one goroutine. The waiter calls
// Pause between two looks at its condition. When Pause reports the end of a round, the waiter
// checks everything else, and continues unless IsSpent, or somebody needs what it holds. The zero
// value with a Budget is ready for Begin.
type Wait struct {
	Budget *Budget
	Leaves bool // stop spinning instead of yielding, for a locked goroutine

	begin, now int64
	turn       int64 // when others get a turn in any case; kept from wait to wait
	pauses     int32 // of this round
	looks      int32
	rounds     int32
	over       bool
	learn      bool
	wanted     bool
}

// Begin begins a wait, or begins it again because there was something to do meanwhile.
func (w *Wait) Begin() { *w = Wait{Budget: w.Budget, Leaves: w.Leaves, turn: w.turn} }

// BeginAt is Begin for a caller that has just read the clock, atomics.Now.
func (w *Wait) BeginAt(now int64) {
	w.Begin()
	w.begin, w.now = now, now
}

// Pause pauses for n pause instructions: one if the waiter looks at a cache line of its own, more
// if each look disturbs others. It reports whether a round is over; then it has read the clock.
// After a few rounds it yields to goroutines that wait for a processor or, with Leaves, IsWanted
// reports them.
func (w *Wait) Pause(n int32) (round bool) {
	atomics.Pause(uint32(n))
	if w.pauses += n; w.pauses < roundPauses && w.begin != 0 {
		return false
	}
	w.pauses = 0
	w.now = atomics.Now()
	if w.begin == 0 {
		w.begin = w.now
	}
	if w.turn == 0 {
		w.turn = w.now + turnEvery
	}
	w.rounds++
	switch asks := w.rounds%yieldRounds == 0; {
	case w.Leaves:
		w.wanted = asks && yield.IsWanted()
	case w.now >= w.turn:
		w.takeTurns()
	case asks:
		yield.IfWanted()
	}
	return true
}

// takeTurns yields, even if no goroutine is known to wait, since expired timers may be due. The
// next turn comes after turnEvery, and not before the waiter has had the processor for as long as
// the others had.
func (w *Wait) takeTurns() {
	yield.IfFull()
	now := atomics.Now()
	w.turn = now + max(turnEvery, now-w.now)
}

// Look is Pause for a waiter whose looks may disturb those who work: the pause grows with the wait,
// so the delay is a small part of the wait.
func (w *Wait) Look() (round bool) {
	w.looks++
	return w.Pause(min(1+w.looks/looksGrow, longestPause))
}

// IsWanted reports, with Leaves, whether goroutines waited for a processor at the end of the last
// round.
func (w *Wait) IsWanted() bool { return w.wanted }

// Now returns the clock at the end of the last round.
func (w *Wait) Now() int64 { return w.now }

// Took returns how long the wait has spun at the end of the last round, in nanoseconds.
func (w *Wait) Took() int64 { return w.now - w.begin }

// IsSpent reports whether the wait has spun for as long as its budget says.
func (w *Wait) IsSpent() bool { return w.Took() >= w.Budget.Time() }

// Stop ends the spinning: the rest of the wait sleeps. If learn is false the budget does not learn
// from this wait, because something other than its length has ended the spinning.
func (w *Wait) Stop(learn bool) {
	w.over, w.learn = true, learn
}

// IsOver reports whether Stop was called since the wait began.
func (w *Wait) IsOver() bool { return w.over }

// Slept ends a wait that has slept, perhaps after a Stop.
func (w *Wait) Slept() {
	if w.learn {
		w.SleptUntil(atomics.Now() - WakeTakes)
	}
}

// SleptUntil is Slept for a waiter that knows when its condition became true, which is not before
// the wait began.
func (w *Wait) SleptUntil(end int64) {
	if w.learn {
		w.learn = false
		w.Budget.Learn(end - w.begin)
	}
}
