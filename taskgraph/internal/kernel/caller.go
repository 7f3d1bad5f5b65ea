package kernel

import (
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A caller is a runner whose goroutine comes from outside with work of its own, runs it on a slot that it is lent, and
// leaves. While callers have slots as many workers fewer are woken, so that no more runners are awake than there
// are workers. The page caller.md has the steps P1 to P4.

// NewCaller returns a runner without a slot, for one goroutine at a time. It gets one by Join.
func (k *Kernel) NewCaller(mode park.Mode) *Runner {
	r := cacheline.New[Runner]()
	r.parker, r.k, r.caller = k.newParker(mode), k, true
	r.wake = r.End
	return r
}

// Join lends the caller r a slot, which counts as active. It reports false if as many callers as there are workers have one.
func (r *Runner) Join() bool {
	k := r.k
	if int(k.lent.Load()) >= len(k.base) {
		return false
	}
	r.slot = k.lend()
	return true
}

// Part takes back what Join lent.
func (r *Runner) Part() {
	s := r.slot
	r.slot = nil
	r.k.takeBack(s)
}

func (k *Kernel) lend() *Slot {
	k.lent.Add(1) // P1: before others are woken for what it will queue
	s, ok := k.freeLent.Pop()
	if !ok {
		s = k.newExtra(true)
	}
	k.start(s)
	return s
}

// takeBack takes the slot of a caller back, in the state that freeSpare asks for.
func (k *Kernel) takeBack(s *Slot) {
	k.cfg.OnIdle(s)
	s.idle.Store(true)
	k.freeLent.Push(s)
	k.lent.Add(-1) // P2: before the look
	k.rampUp()     // P3: wakes may have been left out on account of it
	if k.activity.Add(activityChange-1)%activityChange == 0 {
		k.cfg.OnQuiet()
	}
}

// TakeShared takes Normal work that is shared, for the holder of a slot, who runs a body.
func (k *Kernel) TakeShared() (entry.Entry, bool) {
	if k.hints.Load()&(hintLevel<<Normal) == 0 {
		return 0, false
	}
	return k.takeShared(Normal)
}

// isFull reports whether callers leave no room for another worker.
func (k *Kernel) isFull() bool {
	n := k.lent.Load()
	if n == 0 {
		return false
	}
	idle := k.groups[1].IdleCount()
	if fg := k.groups[0]; fg != nil {
		idle += fg.IdleCount()
	}
	return idle <= int(n)
}

// WakeMore wakes a worker for what is queued, whether or not there is room: for the watch, if neither callers nor workers
// get on.
func (k *Kernel) WakeMore() {
	fg, bg := k.queued(noProbe)
	if fg {
		k.wakeOne(Normal, false)
	}
	if bg {
		k.wakeOne(BackgroundNormal, false)
	}
}
