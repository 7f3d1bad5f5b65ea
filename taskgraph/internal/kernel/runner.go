package kernel

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
)

// A Runner is a goroutine that holds a slot, or waits for one.
type Runner struct {
	slot   *Slot // written by whoever passes the slot on, before the unpark
	parker *park.Parker

	// state decides whether the wait ended before the runner gave its slot away.
	state  atomics.Uint32
	needBG bool // the slot given away was background-capable
	wake   func()
	k      *Kernel
	caller bool // see NewCaller

	// Describe names the runner for a trace of the deterministic mode.
	Describe func() string
}

const (
	waitArmed  uint32 = iota // holds its slot
	waitEnded                // the wait has ended
	waitParked               // gave its slot away; whoever ends the wait makes it runnable
)

// NewRunner returns a runner that holds s.
func (k *Kernel) NewRunner(s *Slot, mode park.Mode) *Runner {
	r := cacheline.New[Runner]()
	r.slot, r.parker, r.k = s, park.New(mode).TakeTurns(k.cfg.Turns), k
	r.wake = r.End
	return r
}

// Slot returns the slot that r holds.
func (r *Runner) Slot() *Slot { return r.slot }

// Arm begins a wait and returns the function that ends it. Any goroutine may call that any number
// of times, also late, for an earlier wait; so a wait may end for no reason.
func (r *Runner) Arm() (end func()) {
	r.state.Store(waitArmed) // R1
	return r.wake
}

// Await gives r's slot away and blocks until the wait has ended and r has a slot again,
// perhaps another one. If the wait has ended before, r keeps its slot.
func (r *Runner) Await() {
	k, s := r.k, r.slot
	r.needBG = s.background
	r.slot = nil
	if !r.state.CompareAndSwap(waitArmed, waitParked) { // R2
		r.slot = s
		return
	}
	// From here on a slot may be passed to r at any moment.
	k.parks.Add(1)
	r.give(s)
	r.parker.Park()
	if r.caller {
		r.slot = k.use(&k.lent)
		k.Leave() // see End
	}
}

// End ends the wait of r, if it is in one.
func (r *Runner) End() {
	if r.state.Swap(waitEnded) != waitParked { // R3
		return
	}
	if r.caller {
		r.k.Enter() // until it has a slot
		r.parker.Unpark()
		return
	}
	r.k.runnable(r)
}

// Detach gives r's slot away until Attach, while r does something that the kernel does not know of.
func (r *Runner) Detach() {
	s := r.slot
	r.needBG = s.background
	r.slot = nil
	r.state.Store(waitEnded) // so that a late End of an earlier wait has no effect
	r.give(s)
}

// give gives s, which r had, to the kernel if r is a caller, and else to another runner.
func (r *Runner) give(s *Slot) {
	if r.caller {
		r.k.giveBack(s)
	} else {
		r.k.pass(s)
	}
}

// Attach blocks until r has a slot again, perhaps another one.
func (r *Runner) Attach() {
	if r.caller {
		r.slot = r.k.use(&r.k.lent)
		return
	}
	r.k.runnable(r)
	r.parker.Park()
}

// pass gives s to a runner that has none, or to a new one.
func (k *Kernel) pass(s *Slot) {
	k.replacements.Add(1)
	if r, ok := k.runners.Pop(); ok {
		r.slot = s
		r.parker.Unpark()
		return
	}
	k.cfg.Spawn(s)
}

// resumeLevels are the levels of the work that runners in the queues of resume go on with.
var resumeLevels = [...]Level{Normal, BackgroundNormal}

// runnable queues r, whose wait is over, for the next slot at a task boundary, and wakes a worker.
func (k *Kernel) runnable(r *Runner) {
	k.Enter() // R4, until it has a slot: its body is not over
	i := 0
	if r.needBG {
		i = 1
	}
	k.resume[i].Push(r)
	k.hint(hintResume << i)
	k.wake(resumeLevels[i], false)
	if k.stopped.Load() {
		k.release()
	}
}

// release lets runners whose wait has ended continue after Stop, when the workers are gone: each on
// a slot of its own. Stop and runnable call it after their own step (S2, R4): it misses none.
func (k *Kernel) release() {
	for i := range k.resume {
		for w := k.popResumed(i); w != nil; w = k.popResumed(i) {
			k.hand(w, k.use(&k.spares))
		}
	}
}

// Yield, after GotResume, passes r's slot to a runner whose wait has ended, if there still is one,
// and then blocks until r gets another slot. It returns false if r has to end.
func (r *Runner) Yield() bool {
	k, s := r.k, r.slot
	w := k.takeResumed(s)
	if w == nil {
		return true
	}
	k.hand(w, s)
	return r.rest()
}

// hand gives s, which is active, to w, whose wait has ended and which counts as active itself.
func (k *Kernel) hand(w *Runner, s *Slot) {
	w.slot = s         // R5
	k.activity.Leave() // not the last one
	w.parker.Unpark()
}

func (k *Kernel) takeResumed(s *Slot) (w *Runner) {
	if k.sim != nil { // the one that was chosen together with the last GotResume
		w, k.sim.resumed = k.sim.resumed, nil
		return w
	}
	if s.background {
		w = k.popResumed(1)
	}
	if w == nil {
		w = k.popResumed(0)
	}
	return w
}

func (k *Kernel) popResumed(i int) *Runner {
	q := &k.resume[i]
	w, _ := q.Pop()
	if q.Empty() {
		k.unhint(hintResume<<i, resumeLevels[i], q)
	}
	return w
}

// rest waits without a slot until one is passed to r; false means that the kernel stopped.
func (r *Runner) rest() bool {
	k := r.k
	r.slot = nil
	k.runners.Push(r) // R6
	if k.stopped.Load() {
		// Stop may have emptied the list before the push: empty it again, for all late runners, r
		// included.
		k.Stop()
	}
	if k.sim != nil {
		k.sim.t.Current().SetPrompt(true) // it only waits for a slot from now on
	}
	r.parker.Park()
	return r.slot != nil
}

// Retire leaves r's spare slot and rests.
func (r *Runner) Retire() bool {
	r.k.giveBack(r.slot)
	return r.rest() // V4
}
