package spin

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/yield"
)

// WakeTakes is how long a sleeper takes to come, at most, in nanoseconds: what it sleeps beyond the
// end of what it waits for.
const WakeTakes = 100_000

// The pause between two looks that disturb others grows by one in so many of them, up to the
// longest.
const (
	looksGrow    = 8
	longestPause = 30
)

// turnEvery is how long waits that are shorter than a few rounds follow each other before others
// get a turn, in nanoseconds: a tenth of what Go's scheduler lets one goroutine run, and a thousand
// times what asking it takes.
const turnEvery = 100_000

// A Wait is one that spins, or one after the other by the same goroutine. The one who waits calls
// Pause between two looks at what it waits for; when that reports the end of a round, it asks what
// else there is to ask, and goes on unless the time is Spent, or somebody needs what it holds. The
// zero value with a Budget is ready for Begin.
type Wait struct {
	Budget *Budget
	Leaves bool // ends the spinning where others yield, which a goroutine locked to its thread does slowly

	begin, now int64
	turn       int64 // when others get a turn though nobody asks; it outlasts the wait
	pauses     int32 // of this round
	looks      int32
	rounds     int32
	over       bool
	learn      bool
	wanted     bool
}

// Begin begins a wait, or begins it anew because there was something to do meanwhile.
func (w *Wait) Begin() { *w = Wait{Budget: w.Budget, Leaves: w.Leaves, turn: w.turn} }

// BeginAt is Begin by one who has looked at the clock of atomics.Now.
func (w *Wait) BeginAt(now int64) {
	w.Begin()
	w.begin, w.now = now, now
}

// Pause pauses for so many instructions: one where the waiter looks at a line of its own, and more
// where each look disturbs others. It reports whether a round is over; then the clock was read.
// After a few rounds, goroutines that wait for a processor get this one, or IsWanted says so to one
// who Leaves.
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

// takeTurns lets others run, whether one waits by now or only looks at a timer. The next turn comes
// after a while, and not before the waiter has had the processor for as long as they.
func (w *Wait) takeTurns() {
	yield.IfFull()
	now := atomics.Now()
	w.turn = now + max(turnEvery, now-w.now)
}

// Look is Pause for one whose looks may disturb those who work: the pause grows with the wait, so
// what is seen late is a small part of it.
func (w *Wait) Look() (round bool) {
	w.looks++
	return w.Pause(min(1+w.looks/looksGrow, longestPause))
}

// IsWanted reports whether goroutines waited for a processor at the end of the last round, for one
// who Leaves.
func (w *Wait) IsWanted() bool { return w.wanted }

// Now returns the clock at the end of the last round.
func (w *Wait) Now() int64 { return w.now }

// Took returns how long the wait has spun at the end of the last round, in nanoseconds.
func (w *Wait) Took() int64 { return w.now - w.begin }

// IsSpent reports whether it has spun for as long as its budget says.
func (w *Wait) IsSpent() bool { return w.Took() >= w.Budget.Time() }

// Stop ends the spinning: the rest of the wait sleeps. If learn is false the budget does not learn
// from it, as something else than its length has ended it.
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

// SleptUntil is Slept for one who knows when what it waited for was over, which is not before the
// wait began.
func (w *Wait) SleptUntil(end int64) {
	if w.learn {
		w.learn = false
		w.Budget.Learn(end - w.begin)
	}
}
