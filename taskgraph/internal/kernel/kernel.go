package kernel

import (
	"math"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph/internal/door"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/spread"
)

// Config says what a kernel is made of.
type Config struct {
	Workers    int // slots in all
	Foreground int // slots that run only foreground work; less than Workers
	Sleep      sleepevent.Options
	Anywhere   bool // where threads run is the operating system's affair

	// OnIdle is called by the holder of a slot that found no work, before the slot counts
	// as idle. OnQuiet is called after the last active slot became idle.
	OnIdle  func(*Slot)
	OnQuiet func()

	// OnPark, if not nil, is called by the holder of a slot before it sleeps for want of work,
	// which asleep says, and after that.
	OnPark func(s *Slot, asleep bool)

	// Watch is called when work was queued, no slot is free to run it, and nobody watches yet.
	Watch func()

	// Spawn starts a new runner on s.
	Spawn func(s *Slot)

	// Own makes the data that the layer above keeps for a new slot.
	Own func(*Slot) any

	// Turns, if not nil, decides who runs: the deterministic mode. Describe then names a
	// queued entry for its trace.
	Turns    *turns.Scheduler
	Describe func(n entry.Entry, l Level) string
}

// A Kernel is a set of slots and the queues they share.
type Kernel struct {
	cfg  Config
	base []*Slot // one for each worker

	groups []*sleepevent.Group // fg, if there is one, and bg
	fg, bg *sleepevent.Group   // of foreground-only and of background-capable slots

	_     cacheline.Pad
	hints atomics.Uint32
	_     cacheline.Pad

	shared [Levels]lockfree.IndexQueue[entry.Entry]
	resume [2]lockfree.Queue[*Runner] // index 1: needs a background-capable slot

	runners lockfree.Stack[*Runner] // without a slot and without a body

	activity door.Activity // the slots that are not idle, and bodies without one
	aside    atomics.Int32 // bodies without a slot that wait, see StandAside

	slots        atomics.Pointer[[]*Slot] // all, for thieves
	spares, lent extras                   // slots that are no workers': lent are those for callers

	watched atomics.Bool
	excess  atomics.Bool // holders of spare slots should retire

	stopped atomics.Bool
	roused  atomics.Bool   // nobody dozes any more
	sweeps  atomics.Bool   // a runner was added after the stop, and has yet to look
	quota   atomics.Uint64 // workers that may run: foreground high, background low

	replacements atomics.Uint64
	parks        atomics.Uint64

	threads *spread.Threads // nil: no thread can be moved, see Spread
	sim     *simulation     // nil but in the deterministic mode
}

// New returns a kernel whose slots all count as active; each must be given to a runner.
func New(cfg Config) *Kernel {
	k := &Kernel{cfg: cfg}
	fg := cfg.Foreground
	mode := park.OS
	if cfg.Sleep.Park == sleepevent.ParkGo {
		mode = park.Go
	}
	if fg > 0 {
		k.fg = sleepevent.NewGroup(fg, cfg.Sleep)
		k.groups = append(k.groups, k.fg)
	}
	k.bg = sleepevent.NewGroup(cfg.Workers-fg, cfg.Sleep)
	k.groups = append(k.groups, k.bg)
	for i := range cfg.Workers {
		s := k.newSlot(i, i >= fg)
		if i < fg {
			s.group, s.worker = k.fg, i
		} else {
			s.group, s.worker = k.bg, i-fg
		}
		s.rest = park.New(mode).TakeTurns(k.cfg.Turns)
		k.base = append(k.base, s)
		k.activity.Enter()
	}
	k.quota.Store(uint64(fg)<<32 | uint64(cfg.Workers-fg))
	all := k.base[:len(k.base):len(k.base)]
	k.slots.Store(&all)
	switch {
	case cfg.Turns != nil:
		k.simulate(cfg.Turns)
	case mode == park.OS && !cfg.Anywhere:
		k.threads = spread.Own()
	}
	return k
}

func (k *Kernel) newSlot(index int, background bool) *Slot {
	s := &Slot{index: index, background: background, mask: hintsForeground | hintCall,
		seed: uint32(index)*2654435761 + 1}
	if background {
		s.mask = hintsAll | hintCall
	}
	s.urgent = s.mask & hintsUrgent
	s.enough.Store(math.MaxInt32)
	s.Owner = k.cfg.Own(s)
	s.rescan = func() bool { return k.stopped.Load() || k.HasWork(s) }
	s.dozing = func() bool { return k.roused.Load() || s.rescan() }
	return s
}

// Slots returns the slots of the workers; Spare ones are not among them.
func (k *Kernel) Slots() []*Slot { return k.base }

// AllSlots returns the slots of the workers and the spare ones made so far.
func (k *Kernel) AllSlots() []*Slot { return *k.slots.Load() }

// Push queues n for the holder of s, who calls it. It wakes nobody.
func (k *Kernel) Push(s *Slot, n entry.Entry, l Level) {
	if d := s.deque(l); d != nil {
		d.Push(n)
		return
	}
	k.share(n, l)
	k.late()
}

// Spawn queues n for the holder of s, who calls it from a body, and wakes a worker for it.
func (k *Kernel) Spawn(s *Slot, n entry.Entry) {
	d := &s.deques[0]
	d.Push(n)
	k.wakeFor(s, d, Normal)
}

// wakeFor wakes a worker for what the holder of s, running a body, has just pushed to its deque d.
// If d was not empty, its older entries have been announced (A7): whoever takes one then looks for
// more, see rampUp, and sees the push.
func (k *Kernel) wakeFor(s *Slot, d *lockfree.Deque[entry.Entry], l Level) {
	if d.Len() <= 1 {
		k.WakeOwn(s, l)
	}
}

// PushAll queues ns for the holder of s, who calls it and will take the last entry first, and wakes
// a worker for them.
func (k *Kernel) PushAll(s *Slot, ns []entry.Entry) {
	s.deques[0].PushAll(ns)
	k.WakeOwn(s, Normal)
}

// Asked reports whether the holder should turn to something before its own tasks: work of the
// highest level, a call, or a runner that wants a slot back. It gives the watch its sign of life.
func (k *Kernel) Asked(s *Slot) bool {
	return (k.hints.Load()^s.answered)&s.urgent != 0 && k.asked(s)
}

// asked is Asked when a bit is set. Inlined, it would keep Asked from being inlined.
//
//go:noinline
func (k *Kernel) asked(s *Slot) bool {
	h := (k.hints.Load() ^ s.answered) & s.urgent
	if h&hintProbe != 0 {
		s.answer(h)
	}
	if h&hintCall != 0 && !s.isCalled() {
		h &^= hintCall
	}
	return h&^hintProbe != 0
}

// share queues n for any slot that may run it.
func (k *Kernel) share(n entry.Entry, l Level) {
	k.shared[l].Push(n)
	k.hint(hintLevel << l) // Q1
}

// hint sets a bit. The work is queued before: whoever clears the bit and then looks again sees it.
func (k *Kernel) hint(bit uint32) {
	if k.hints.Load()&bit == 0 {
		k.hints.Or(bit)
	}
}

// unhint clears the bit of a queue for level l that was found empty.
func (k *Kernel) unhint(bit uint32, l Level, q interface{ Empty() bool }) {
	k.hints.And(^bit) // Q2
	if !q.Empty() {   // Q3
		// The pusher saw the bit set. Whoever saw it clear may sleep now, and we have work.
		k.hints.Or(bit)
		k.Wake(l)
	}
}

// Inject queues n from outside, and wakes a worker for it.
func (k *Kernel) Inject(n entry.Entry, l Level) {
	k.share(n, l)
	k.wake(l, false) // A1
	k.late()
}

// Alone reports whether s has at most one task queued: a holder about to run it need wake nobody.
func (k *Kernel) Alone(s *Slot) bool { return s.deques[0].Len()+s.deques[1].Len() <= 1 }

// Wake is called after work of level l was queued. It wakes a worker for it unless one is searching
// already or callers leave no room. If all workers are busy, it starts the watch. It is for the
// holder of a slot, who goes on working.
func (k *Kernel) Wake(l Level) { k.wake(l, true) }

func (k *Kernel) wake(l Level, elsewhere bool) {
	if k.isFull() { // P4
		k.watch()
		return
	}
	k.wakeOne(l, elsewhere)
}

func (k *Kernel) wakeOne(l Level, elsewhere bool) {
	first, second := k.bg, k.fg
	switch {
	case l.IsBackground():
		second = nil
	case first.Searching() > 0:
		return
	case second != nil && (first.DrowsingCount() == 0 || second.DrowsingCount() > 0):
		first, second = second, first // but a drowsing worker comes at once
	}
	if !k.wakeIn(first, elsewhere) && (second == nil || !k.wakeIn(second, elsewhere)) {
		k.watch()
	}
}

// wakeIn wakes a worker of g. It reports false if there is none to be woken, and none searches.
func (k *Kernel) wakeIn(g *sleepevent.Group, elsewhere bool) bool {
	if elsewhere && !k.cfg.Anywhere {
		return g.WakeElsewhere() != sleepevent.WakeNone
	}
	return g.Wake() != sleepevent.WakeNone
}

func (k *Kernel) watch() {
	if !k.watched.Load() && k.watched.CompareAndSwap(false, true) { // A6, W4
		k.cfg.Watch()
	}
}

// Activity returns how many slots are active and a number that changes with each change.
func (k *Kernel) Activity() (active int, stamp uint64) { return k.activity.Look() }

// Over reports whether all that entered the closed door d is complete, see [door.Door.Over].
func (k *Kernel) Over(d *door.Door) bool { return d.Over(&k.activity) }

// Quiet reports whether no slot is active and no work is queued, and returns the stamp of Activity.
// It looks at the queues because a woken worker counts as active only once it is awake.
func (k *Kernel) Quiet() (quiet bool, stamp uint64) {
	active, stamp := k.Activity()
	if active != 0 {
		return false, stamp
	}
	fg, bg := k.queued(noProbe)
	if k.sim != nil && k.sim.holds() {
		return false, stamp
	}
	_, again := k.Activity() // whoever took work since then became active before
	return !fg && !bg && again == stamp, stamp
}

// Enter counts somebody who runs tasks without a slot as active, until Leave.
func (k *Kernel) Enter() { k.activity.Enter() }

// Leave ends Enter.
func (k *Kernel) Leave() {
	if k.activity.Leave() {
		k.cfg.OnQuiet()
	}
}

// Stop ends all waiting for work: every holder of a slot gets [GotStop] as soon as it finds none.
func (k *Kernel) Stop() {
	k.stopped.Store(true) // S1
	for _, g := range k.groups {
		g.Close()
	}
	if k.sim != nil {
		k.sim.stop()
	}
	for _, s := range k.base {
		s.rest.Unpark()
	}
	k.release() // S2
	for {
		r, ok := k.runners.Pop()
		if !ok {
			return
		}
		r.slot = nil
		r.parker.Unpark()
	}
}

// Sweep is called after Stop if something may be queued: it has somebody take that.
func (k *Kernel) Sweep() {
	fg, bg := k.queued(noProbe) // S3
	if fg || bg || k.sim != nil && k.sim.wanted() {
		k.late()
	}
}

// late is called by who has queued something where the holder of a slot may not come, or has left
// it in a slot. If the kernel is stopped, it has a runner look, which ends when it finds nothing.
func (k *Kernel) late() {
	if k.stopped.Load() && k.sweeps.CompareAndSwap(false, true) { // S4
		k.AddSpare()
	}
}

// Stats counts what the kernel did.
type Stats struct {
	Steals       uint64
	Replacements uint64 // runners that took over the slot of a waiting one
	Spares       uint64 // slots added for bodies that block out of sight
	RunnerParks  uint64 // waits that gave their slot away
	KernelWakes  uint64 // of sleeping workers
	DrowseWakes  uint64
	Drowses      uint64 // times that a worker began to drowse
	Sleeps       uint64 // times that a worker slept

	Queued [Levels]int // entries that no slot has taken
	Active int         // slots that are not idle
}
