package kernel

import (
	"math"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// AddSpare adds a slot and passes it to a runner: some body blocks where nobody can see it,
// and holds its slot meanwhile. The blocked slot's own work stays in reach of thieves.
func (k *Kernel) AddSpare() {
	k.excess.Store(false)
	k.pass(k.use(&k.spares))
}

// extras are slots of one kind that are no workers'.
type extras struct {
	free lockfree.Stack[*Slot]
	used atomics.Int32
}

// use makes a slot of x an active one, for its next holder.
func (k *Kernel) use(x *extras) *Slot {
	x.used.Add(1) // P1: before others are woken for what the caller will queue
	s, ok := x.free.Pop()
	if !ok {
		s = k.newExtra(x == &k.lent)
	}
	s.answered = (k.hints.Load() - probeOne) & hintProbe // not the last one
	s.idle.Store(false)
	k.Enter() // V1
	return s
}

// newExtra makes a slot that is no worker's: lent to callers, or else a spare one.
func (k *Kernel) newExtra(lent bool) *Slot {
	for {
		old := k.slots.Load()
		s := k.newSlot(len(*old), true)
		s.mask, s.urgent = s.mask&^hintCall, s.urgent&^hintCall
		s.spare, s.lent = !lent, lent // before anybody sees it
		s.idle.Store(true)
		all := append((*old)[:len(*old):len(*old)], s)
		if k.slots.CompareAndSwap(old, &all) {
			return s
		}
	}
}

// giveBack ends use. The holder of s may have left work in it, where thieves find it.
func (k *Kernel) giveBack(s *Slot) {
	k.cfg.OnIdle(s) // V3
	s.idle.Store(true)
	x := &k.spares
	if s.lent {
		x = &k.lent
	}
	x.free.Push(s)
	x.used.Add(-1) // P2: before the look
	k.rampUp()     // P3: for what is left in s, and for what no waker woke because s was lent
	if k.HasOwn(s) {
		k.late()
	}
	k.Leave()
}

// Spares returns how many spare slots are in use.
func (k *Kernel) Spares() int { return int(k.spares.used.Load()) }

// Probe asks every slot for a sign of life at its next task boundary, or its next fork. That is all
// that the slot pays until the next Probe. The page spare.md has the steps W1 to W6.
func (k *Kernel) Probe() {
	k.hints.Add(probeOne) // W1
	for _, s := range *k.slots.Load() {
		s.enough.Store(math.MaxInt32) // W3: after the question
	}
}

// Probes returns how many times it was asked for, modulo a power of two.
func (k *Kernel) Probes() uint32 { return k.hints.Load() / probeOne }

// LeaveUnwatched has nobody told to watch, as if somebody did from now on (W4): no slot is added
// for what blocks, or seems to. It is for tests of what so many slots do, and comes before anything
// is queued.
func (k *Kernel) LeaveUnwatched() { k.watched.Store(true) }

// Progress is what came of a probe.
type Progress struct {
	Queued bool // work is queued that nobody has taken
	// and no slot that may take some has been idle or at a task boundary since the probe; forks of
	// a body that goes on do not count
	Stuck bool
	Base  bool // workers' own slots have, for each kind of work that is queued
	Held  int  // slots that are not idle: so many goroutines should be computing

	// and a worker sleeps for callers though somebody with a slot does not get on: WakeMore
	KeptOut bool
}

// Observe says what came of the last Probe (W5).
func (k *Kernel) Observe() Progress {
	var p Progress
	e, full := k.hints.Load()&hintProbe, k.lent.used.Load() > 0
	fg, bg := k.queued(noProbe)
	queued := fg || bg
	p.Queued = queued
	fg, bg = k.queued(e)
	alive, aliveBG := false, false
	base, baseBG := false, false
	late, asleep := false, false
	for _, s := range *k.slots.Load() {
		p.Queued = p.Queued || s.isHidden() // H5: it may be queued at any moment
		idle := s.idle.Load()
		beats := s.beat.Load() == e
		extra := s.spare || s.lent
		switch {
		case !idle:
			p.Held++
			late = late || !beats
		case extra || k.surplus(s): // in nobody's hands, or in those of one that nobody wakes
			continue
		case full: // perhaps it sleeps because callers leave no room for it
			asleep = asleep || fg || bg && s.background
			continue
		}
		if idle || beats {
			alive = true
			aliveBG = aliveBG || s.background
			base = base || !extra
			baseBG = baseBG || !extra && s.background
		}
	}
	p.Base = queued && (!fg || base) && (!bg || baseBG)
	p.Stuck = fg && !alive || bg && !aliveBG
	p.KeptOut = late && asleep
	return p
}

// Unwatch ends the watch, and reports false if work is queued and it must go on.
func (k *Kernel) Unwatch() bool {
	k.watched.Store(false) // W6
	if k.Observe().Queued && k.watched.CompareAndSwap(false, true) {
		return false
	}
	return true
}

// Dismiss asks the holders of spare slots to leave them.
func (k *Kernel) Dismiss() { k.excess.Store(true) }

// Stats returns what was counted so far.
func (k *Kernel) Stats() Stats {
	t := Stats{Replacements: k.replacements.Load(), RunnerParks: k.parks.Load()}
	for l := range k.shared {
		t.Queued[l] = k.shared[l].Len()
	}
	t.Active, _ = k.Activity()
	for _, s := range *k.slots.Load() {
		t.Queued[Normal] += s.deques[0].Len() + s.inbox.Len()
		t.Queued[BackgroundNormal] += s.deques[1].Len()
		t.Steals += s.steals.Load()
		if s.spare {
			t.Spares++
		}
	}
	for _, g := range k.groups {
		x := g.Stats()
		t.KernelWakes += uint64(x.KernelWakes)
		t.DrowseWakes += uint64(x.DrowseWakes)
		t.Drowses += uint64(x.Drowses)
		t.Sleeps += uint64(x.Parks)
	}
	return t
}
