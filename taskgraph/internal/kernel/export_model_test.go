//go:build modelcheck

package kernel

import "github.com/heddle-go/heddle/taskgraph/internal/entry"

// Hooks of the model tests: steps of a longer way, to look at alone.

// PretendParked leaves r as Await does, but nobody parks.
func (r *Runner) PretendParked() {
	r.needBG = r.slot.background
	r.slot = nil
	r.state.Store(waitParked)
}

// Ended reports whether the wait has ended.
func (r *Runner) Ended() bool { return r.state.Load() == waitEnded }

// TakeResumed is the part of Yield that takes a runner out of the queues.
func (k *Kernel) TakeResumed(s *Slot) *Runner { return k.takeResumed(s) }

// StealNormal is the part of Search that steals.
func (k *Kernel) StealNormal(s *Slot) (entry.Entry, bool) { return k.stealSome(s, 0) }

// StealOne is the part of a leap that steals.
func (k *Kernel) StealOne(s, v *Slot) (entry.Entry, bool) { return k.stealOne(s, v) }

// IsAsked reports whether the holder of s has yet to answer the watch.
func (k *Kernel) IsAsked(s *Slot) bool { return (k.hints.Load()^s.answered)&hintProbe != 0 }

// Lent returns how many slots callers have.
func (k *Kernel) Lent() int { return int(k.lent.used.Load()) }

// In returns where the call runs, or nil.
func (n *Note[C]) In() *C { return n.in.Load() }
