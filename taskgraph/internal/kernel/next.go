package kernel

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// Got says what the holder of a slot has to do next.
type Got uint8

const (
	GotNone   Got = iota
	GotTask       // claim the task and run it
	GotResume     // a runner wants a slot back: call Yield
	GotRetire     // the spare slot is not needed any more: call Retire
	GotStop       // the kernel was stopped
	GotCall       // there is a call for the slot: TakeCall
)

// fairTick bounds starvation: a slot looks for one of fairTick tasks in another order. Then shared
// work and the oldest of the slot's own tasks alternate in going first, and the search starts at
// each level in turn.
const fairTick = 61

// Next takes a task from where the holder of s looks first: its own deques and the shared
// queues. It does not steal or wait.
func (k *Kernel) Next(s *Slot) (entry.Entry, Got) {
	s.tick++
	h := (k.hints.Load() ^ s.answered) & s.mask
	if h&hintProbe != 0 {
		s.answer(h)
		h &^= hintProbe
	}
	if h&s.urgent == 0 && !s.spare && s.tick%fairTick != 0 && !s.mail.Load() {
		if n, ok := s.deques[0].Pop(); ok {
			return n, GotTask
		}
		if h == 0 {
			if s.background {
				if n, ok := s.deques[1].Pop(); ok {
					return n, GotTask
				}
			}
			return 0, GotNone
		}
	}
	return k.nextSlow(s)
}

// GoesOn is the first part of Next for a holder that continues with the newest of its own tasks: it
// counts a take, and reports whether Next would look at nothing else. The second part is PopOwn, or
// nothing for a holder that runs at once what it would have pushed.
func (k *Kernel) GoesOn(s *Slot) bool {
	h := (k.hints.Load() ^ s.answered) & s.mask
	if h&^hintProbe != 0 || s.spare || (s.tick+1)%fairTick == 0 || s.mail.Load() {
		return false
	}
	if h != 0 {
		s.answer(h)
	}
	s.tick++
	return true
}

// answer gives the sign of life that the watch asks for. h holds the bits in which the number of
// the probe differs from that of the last one answered (W2).
func (s *Slot) answer(h uint32) {
	s.answered ^= h & hintProbe
	s.beat.Store(s.answered)
}

// Steal steals foreground work for the holder of s, which runs a body.
func (k *Kernel) Steal(s *Slot) (entry.Entry, bool) { return k.stealFrom(s, 0, 1) }

// nextSlow looks at everything. What it takes may go before a task of the slot's own that
// nobody was woken for, because the holder was about to run it: now others must hear of it.
func (k *Kernel) nextSlow(s *Slot) (entry.Entry, Got) {
	if k.sim != nil {
		return 0, GotNone
	}
	n, got := k.choose(s)
	if got != GotNone {
		k.Announce(s)
	}
	return n, got
}

// Announce is A4: it wakes a worker for what is in the deques of s, whose holder turns to something
// else.
func (k *Kernel) Announce(s *Slot) {
	if !s.deques[0].Empty() {
		k.WakeOwn(s, Normal)
	}
	if !s.deques[1].Empty() {
		k.Wake(BackgroundNormal)
	}
}

func (k *Kernel) choose(s *Slot) (entry.Entry, Got) {
	h := k.hints.Load() & s.mask
	if h&hintCall != 0 {
		if s.isCalled() {
			return 0, GotCall
		}
		h &^= hintCall
	}
	if h&(hintResume|hintResumeBackground) != 0 {
		return 0, GotResume
	}
	if s.spare && k.excess.Load() && !k.stopped.Load() { // V2
		return 0, GotRetire
	}
	start, ownLast := High, false
	if s.tick%fairTick == 0 {
		k.Spread(s)
		start, ownLast = s.fairLevel(s.tick), true
	}
	for i := range Level(Levels) {
		if n, ok := k.take(s, h, (start+i)%Levels, ownLast); ok {
			return n, GotTask
		}
	}
	return 0, GotNone
}

// fairLevel returns the level that a fair tick begins with. On a foreground slot it changes only
// every second time: otherwise its own deque would go first at only one of the levels.
func (s *Slot) fairLevel(tick uint32) Level {
	turn := tick / fairTick
	if s.background {
		return Level(turn % Levels)
	}
	return Level(turn / 2 % uint32(BackgroundHigh))
}

// take takes a task of level l.
func (k *Kernel) take(s *Slot, h uint32, l Level, ownLast bool) (n entry.Entry, ok bool) {
	if l.IsBackground() && !s.background {
		return 0, false
	}
	if l == Normal && s.mail.Load() {
		if n, ok = k.takeMail(s); ok {
			return n, true
		}
	}
	d := s.deque(l)
	switch {
	case d == nil:
	case !ownLast:
		n, ok = d.Pop()
	case s.tick/fairTick%2 == 0: // or shared work could starve the oldest task
		n, ok = oldest(d)
	}
	if ok {
		return n, true
	}
	if h&(hintLevel<<l) != 0 {
		if l == Normal && !ownLast && !s.spare {
			n, ok = k.takeSome(s)
		} else {
			n, ok = k.takeShared(l)
		}
		if ok {
			return n, true
		}
	}
	if d != nil && ownLast {
		if n, ok = oldest(d); ok {
			return n, true
		}
	}
	// Somebody else's foreground task goes before any background task.
	if l == Normal && h&^hintsForeground != 0 {
		return k.stealSome(s, 0)
	}
	return 0, false
}

// takeShared takes a shared task of level l.
func (k *Kernel) takeShared(l Level) (entry.Entry, bool) {
	q := &k.shared[l]
	n, ok := q.Pop()
	if q.Empty() { // at once: while the bit is set, Next takes the slow path
		k.unhint(hintLevel<<l, l, q)
	}
	return n, ok
}

// stealSome steals for the holder of s, whose own deque d is empty: one entry to run, and more of
// the same victim's entries, which go into that deque and which the caller announces. A spare slot,
// which is only temporary, steals one.
func (k *Kernel) stealSome(s *Slot, d int) (entry.Entry, bool) {
	if s.spare {
		return k.stealFrom(s, d, 1)
	}
	return k.stealFrom(s, d, stealMost)
}

// stealFrom tries to steal up to most entries from deque d of each other slot, beginning with a
// random victim.
func (k *Kernel) stealFrom(s *Slot, d, most int) (entry.Entry, bool) {
	var some [stealMost]entry.Entry
	all := *k.slots.Load()
	at := int(s.random() % uint32(len(all)))
	for range all {
		v := all[at]
		if at++; at == len(all) {
			at = 0
		}
		if v == s || d == 0 && v.isHidden() {
			continue
		}
		for {
			n, r := v.deques[d].StealN(some[:most])
			if r == lockfree.StealOK {
				s.steals.Add(uint64(n))
				s.victim = v
				if n > 1 {
					s.keep(d, some[1:n])
				}
				return some[0], true
			}
			if r == lockfree.StealEmpty {
				break
			}
		}
	}
	if d == 0 {
		return k.stealMail(s)
	}
	return 0, false
}

// HasWork reports whether there is anything that the holder of s could take.
func (k *Kernel) HasWork(s *Slot) bool {
	if k.hints.Load()&s.mask&^(hintProbe|hintCall) != 0 || s.isCalled() {
		return true
	}
	for _, v := range *k.slots.Load() {
		if !v.deques[0].Empty() && (v == s || !v.isHidden()) ||
			s.background && !v.deques[1].Empty() || v.mail.Load() {
			return true
		}
	}
	return false
}

const (
	tinyTask   = 2000 // ns: a stolen task that takes less is not worth a steal
	manyTasks  = 32   // stealing this many pays, however short they are
	minKeepOff = 4    // pauses: a step of short tasks is over before they add up
	maxKeepOff = 512
)

// Search looks for work everywhere, and sleeps until there is some. A spare slot retires instead.
func (k *Kernel) Search(s *Slot) (entry.Entry, Got) {
	if k.sim != nil {
		return k.sim.search(s)
	}
	if s.spare {
		if k.stopped.Load() {
			k.sweeps.Store(false) // S5
		}
		if n, got := k.look(s); got != GotNone {
			return n, got
		}
		if k.stopped.Load() {
			return 0, GotStop
		}
		return 0, GotRetire
	}
	s.group.BeginSearch()
	k.keepOff(s)
	for {
		if k.stopped.Load() {
			s.group.EndSearch()
			if n, got := k.look(s); got != GotNone {
				return n, got // what its holder has queued since its last look, for one
			}
			return 0, GotStop
		}
		n, got := k.look(s)
		if got != GotNone {
			// A3, ramp-up: first stop searching, so that wakers no longer rely on us; then wake
			// somebody for what they left to us.
			s.group.EndSearch()
			k.rampUp()
			return n, got
		}
		if k.surplus(s) {
			k.layOff(s)
			continue
		}
		k.idle(s)
		s.group.Idle(s.worker, s.rescan) // A2
		k.busy(s)
		s.pauses = 0
	}
}

// look takes work from the slot's own places or steals it.
func (k *Kernel) look(s *Slot) (entry.Entry, Got) {
	if n, got := k.Next(s); got != GotNone {
		return n, got
	}
	n, ok := k.stealSome(s, 0)
	if !ok && s.background {
		n, ok = k.stealSome(s, 1)
	}
	if ok {
		k.Spread(s)
		if s.deques[0].Len()+s.deques[1].Len() < manyTasks {
			s.stoleAt = atomics.Now()
		}
		return n, GotTask
	}
	return 0, GotNone
}

// keepOff delays a thief whose last stolen task was short, for longer each time until it has been
// idle: a thief in a tight loop costs its victim more than it takes over.
func (k *Kernel) keepOff(s *Slot) {
	if s.stoleAt == 0 {
		return
	}
	if atomics.Now()-s.stoleAt > tinyTask {
		s.pauses = 0
	} else {
		s.pauses = min(max(2*s.pauses, minKeepOff), maxKeepOff)
		atomics.Pause(s.pauses)
	}
	s.stoleAt = 0
}

// rampUp wakes one more worker if more work is queued.
func (k *Kernel) rampUp() {
	fg, bg := k.queued(noProbe)
	if fg {
		k.Wake(Normal)
	}
	if bg {
		k.Wake(BackgroundNormal)
	}
}

// noProbe is a number that no probe has.
const noProbe = 1

// queued reports whether work is queued that any slot may run, and work for background-capable
// slots. It leaves out the deques of slots whose forks have answered the probe of the given number.
func (k *Kernel) queued(answered uint32) (fg, bg bool) {
	if h := k.hints.Load(); h&^hintProbe != 0 {
		for l := range Level(Levels) {
			if h&(hintLevel<<l) != 0 && !k.shared[l].Empty() {
				fg = fg || !l.IsBackground()
				bg = bg || l.IsBackground()
			}
		}
		fg = fg || !k.resume[0].Empty()
		bg = bg || !k.resume[1].Empty()
	}
	for _, v := range *k.slots.Load() {
		own := v.forked.Load() != answered
		fg = fg || own && !v.deques[0].Empty() || v.mail.Load()
		bg = bg || own && !v.deques[1].Empty()
	}
	return fg, bg
}
