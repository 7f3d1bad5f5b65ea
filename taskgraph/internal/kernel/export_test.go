package kernel

import "github.com/heddle-go/heddle/taskgraph/internal/spread"

// Hooks of the tests: what a slot is for and has seen.

// IsBackground reports whether the slot runs background work.
func (s *Slot) IsBackground() bool { return s.background }

// Steals returns how many tasks the holders of the slot have stolen.
func (s *Slot) Steals() uint64 { return s.steals.Load() }

// SpreadOn makes k believe t.
func (k *Kernel) SpreadOn(t *spread.Threads) { k.threads = t }

// CanSpread reports whether threads can be moved.
func (k *Kernel) CanSpread() bool { return k.threads != nil }

// SetIdle makes the slot one whose holder has found no work.
func (k *Kernel) SetIdle(s *Slot) { s.idle.Store(true) }
