package kernel

// Hooks of the tests: what a slot is for and has seen.

// IsBackground reports whether the slot runs background work.
func (s *Slot) IsBackground() bool { return s.background }

// Steals returns how many tasks the holders of the slot have stolen.
func (s *Slot) Steals() uint64 { return s.steals.Load() }

// A Ground is what a test says of threads, in place of the operating system.
type Ground struct {
	Now   func() int64
	Here  func() (processor, thread uint32)
	Waits func(thread, processor uint32) bool
	Move  func()
}

// On makes k believe g; the zero Ground is none.
func (k *Kernel) On(g Ground) {
	k.ground = nil
	if g.Here != nil {
		k.ground = &ground{now: g.Now, here: g.Here, waits: g.Waits, move: g.Move}
	}
}

// LookOn makes the holder of s look at once, on a ground of its own.
func (k *Kernel) LookOn(s *Slot, g Ground) {
	k.spread(s, &ground{now: g.Now, here: g.Here, waits: g.Waits, move: g.Move})
}

// HasGround reports whether threads can be moved.
func (k *Kernel) HasGround() bool { return k.ground != nil }

// Between two looks there is the time LookEvery, between two questions AskEvery.
const (
	LookEvery = lookEvery
	AskEvery  = askEvery
)

// SetIdle makes the slot one whose holder has found no work.
func (k *Kernel) SetIdle(s *Slot) { s.idle.Store(true) }
