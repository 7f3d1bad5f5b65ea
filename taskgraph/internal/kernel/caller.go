package kernel

import (
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A caller is a runner whose goroutine comes from outside, runs work of its own on a slot that the
// kernel lends it, and leaves. For each slot that callers have, one worker fewer is woken, so no
// more runners are awake than there are workers. The page caller.md has the steps P1 to P4.

// NewCaller returns a runner without a slot, for one goroutine at a time. Join gives it one.
func (k *Kernel) NewCaller(mode park.Mode) *Runner {
	r := k.NewRunner(nil, mode)
	r.caller = true
	return r
}

// Join lends the caller r a slot, which counts as active. It reports false if there are already as
// many callers with slots as there are workers.
func (r *Runner) Join() bool {
	k := r.k
	if int(k.lent.used.Load()) >= len(k.base) {
		return false
	}
	r.slot = k.use(&k.lent)
	return true
}

// Part takes back what Join lent.
func (r *Runner) Part() {
	s := r.slot
	r.slot = nil
	r.give(s)
}

// TakeShared takes shared Normal work for the holder of a slot, which runs a body.
func (k *Kernel) TakeShared() (entry.Entry, bool) {
	if k.hints.Load()&(hintLevel<<Normal) == 0 {
		return 0, false
	}
	return k.takeShared(Normal)
}

func (k *Kernel) isFull() bool {
	room := int(k.lent.used.Load())
	if room == 0 {
		return false
	}
	for _, g := range k.groups {
		room -= g.IdleCount()
	}
	return room >= 0
}

// WakeMore wakes a worker for queued work even if callers leave no room. The watch calls it when
// neither callers nor workers make progress.
func (k *Kernel) WakeMore() {
	fg, bg := k.queued(noProbe)
	if fg {
		k.wakeOne(Normal, false)
	}
	if bg {
		k.wakeOne(BackgroundNormal, false)
	}
}
