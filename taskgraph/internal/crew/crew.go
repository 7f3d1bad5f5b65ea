package crew

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// A Crew counts the participants of one loop: the caller, which opens and closes it, and helpers,
// which come when they are launched or too late. It counts those at work, for which the caller
// waits, and the references to its memory, which the last one frees; and it hands out the units of
// work.
//
// A helper may stay between two loops, and join the next one that uses the same memory without
// being launched.
//
// The zero value is ready for Open. All methods may be called by any goroutine that holds a
// reference: the caller from Open to Drop, a helper from the Launch before it is queued to its own
// Drop, or Detach. What a member did before Leave synchronizes before the return of the Close,
// Await or IsDone that tells the caller that nobody is at work. The page crew.md has the steps and
// the proof.
type Crew struct {
	//	C1 a helper is counted as at work only by Join, and never after the crew was closed.
	//	C2 at most one Leave reports that the caller must be woken, and only if Await has told the
	//	   caller to wait.
	//	C3 references are counted before they are passed on, and exactly one Drop takes the last.
	//	C4 a helper that stays refers to the memory. It joins the next loop, or detaches before it
	//	   is opened.
	state atomics.Uint64

	_    cacheline.Pad
	next atomics.Uint64 // the number of units taken; it may exceed the total
	_    cacheline.Pad
}

const (
	crewWorker  = 1                     // each helper at work
	crewWorkers = 1<<20 - 1             // their number
	crewRef     = 1 << 20               // each reference
	crewRefs    = (1<<24 - 1) * crewRef // their number
	crewRound   = 1 << 44               // each loop
	crewRounds  = (1<<16 - 1) * crewRound
	crewStays   = 1 << 61 // one helper, which has left, waits for the next loop
	crewClosed  = 1 << 62 // nobody joins any more
	crewWaiting = 1 << 63 // the last to leave wakes the caller
)

// Open begins a loop whose first taken units are the caller's, in memory to which at most a helper
// that stays refers. It reports whether there is such a helper: it will try to join. The caller
// holds a reference.
func (c *Crew) Open(taken uint64) (stays bool) {
	c.next.Store(taken)
	for {
		v := c.state.Load()
		next := (v+crewRound)&crewRounds | crewRef
		if v&crewStays != 0 {
			next += crewStays + crewRef
		}
		if c.state.CompareAndSwap(v, next) { // C5, LP(Open)
			return v&crewStays != 0
		}
	}
}

// Launch counts a reference for a helper that is about to be queued. It is for a member at work.
func (c *Crew) Launch() { c.state.Add(crewRef) } // C14

// Join counts a helper in, unless the crew is closed; then it may only Drop its reference.
func (c *Crew) Join() bool {
	for {
		v := c.state.Load()
		if v&crewClosed != 0 {
			return false
		}
		if c.state.CompareAndSwap(v, v+crewWorker) { // C6, LP(Join)
			return true
		}
	}
}

// Leave counts a helper out, and reports whether it must wake the caller. It keeps its reference:
// until it has woken the caller nobody frees what the caller sleeps on.
func (c *Crew) Leave() (wake bool) {
	v := c.state.Add(^uint64(0)) // C7, LP(Leave)
	return v&(crewWaiting|crewWorkers) == crewWaiting
}

// Drop gives a reference back, and reports whether it was the last: then whoever called Drop owns
// the memory.
func (c *Crew) Drop() (last bool) {
	return c.state.Add(^uint64(crewRef-1))&crewRefs == 0 // C10, LP(Drop)
}

// Number returns the number of the loop, for a member at work.
func (c *Crew) Number() uint64 { return c.state.Load() & crewRounds }

// Stay counts a helper out as Leave does, to wait for the next loop with its reference. It reports
// false if the helper must Leave instead: the caller waits to be woken, or another helper stays.
func (c *Crew) Stay() bool {
	for {
		v := c.state.Load()
		if v&(crewWaiting|crewStays) != 0 {
			return false
		}
		if c.state.CompareAndSwap(v, v-crewWorker+crewStays) { // C11, LP(Stay)
			return true
		}
	}
}

// Rejoin counts the helper that stays in again if a loop other than that of its round is open.
func (c *Crew) Rejoin(round uint64) bool {
	for {
		v := c.state.Load()
		if !isNext(v, round) {
			return false
		}
		if c.state.CompareAndSwap(v, v-crewStays+crewWorker) { // C12, LP(Rejoin)
			return true
		}
	}
}

// Detach gives back the reference of the helper that stays, unless there is an open loop for it to
// join. If it has detached, last means the same as the result of Drop.
func (c *Crew) Detach(round uint64) (detached, last bool) {
	for {
		v := c.state.Load()
		if isNext(v, round) {
			return false, false
		}
		next := v - crewStays - crewRef
		if c.state.CompareAndSwap(v, next) { // C13, LP(Detach)
			return true, next&crewRefs == 0
		}
	}
}

// isNext reports whether a loop other than that of round is open.
func isNext(v, round uint64) bool { return v&crewClosed == 0 && v&crewRounds != round }

// Stays reports whether a helper stays. It is only a hint, since the helper may detach.
func (c *Crew) Stays() bool { return c.state.Load()&crewStays != 0 }

// IsKept reports, to the caller of a loop that is over, whether only it and a helper that stays
// refer to the memory. Then the caller may use the memory for its next loop without a Drop.
func (c *Crew) IsKept() bool {
	v := c.state.Load()
	return v&crewStays != 0 && v&crewRefs == 2*crewRef
}

// Close ends the joining (C8), and reports whether nobody is at work. If somebody is, the caller
// looks at IsDone for a while, or calls Await and sleeps.
func (c *Crew) Close() (done bool) { return c.state.Or(crewClosed)&crewWorkers == 0 } // LP(Close)

// Await announces that the caller of a closed crew waits (C9), and reports whether it need not.
// Otherwise one Leave reports that the caller is to be woken.
func (c *Crew) Await() (done bool) { return c.state.Or(crewWaiting)&crewWorkers == 0 } // LP(Await)

// IsDone reports whether nobody is at work. In a closed crew it stays true.
func (c *Crew) IsDone() bool { return c.state.Load()&crewWorkers == 0 }

// Take takes the next of the given number of units.
func (c *Crew) Take(units uint64) (unit uint64, ok bool) {
	// The load keeps repeated calls from counting ever higher.
	if c.next.Load() >= units {
		return 0, false
	}
	unit = c.next.Add(1) - 1 // LP(Take)
	return unit, unit < units
}

// TakeMany takes one of parts equal parts of the units that are left, but at least least units. The
// parts shrink as fewer units are left, so that the last ones end at about the same time.
//
// Polychronopoulos and Kuck, "Guided Self-Scheduling", IEEE Transactions on Computers, 1987.
func (c *Crew) TakeMany(units, parts, least uint64) (from, to uint64, ok bool) {
	for {
		from = c.next.Load()
		if from >= units {
			return 0, 0, false
		}
		rest := units - from
		to = from + min(rest, max(rest/parts, least))
		if c.next.CompareAndSwap(from, to) { // LP(TakeMany)
			return from, to, true
		}
	}
}

// Left reports whether any of the given number of units is left to take.
func (c *Crew) Left(units uint64) bool { return c.next.Load() < units }

// Cut takes all units that are left.
func (c *Crew) Cut(units uint64) { c.next.Store(units) } // LP(Cut)
