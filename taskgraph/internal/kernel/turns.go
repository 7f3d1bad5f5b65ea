package kernel

import (
	"slices"

	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A simulation is the deterministic mode. All goroutines take turns, so nothing happens at the same
// time as anything else. Work is queued in the ordinary ways. Each time that a goroutine ends its
// turn, the queues are emptied and their entries become choices: any entry of the highest level
// that a slot without work may run, and any runner whose wait is over. Nobody steals, searches or
// sleeps: the holder of a slot without work waits until something is chosen for it.
// The page turns.md has the steps TU1 to TU5.
type simulation struct {
	k       *Kernel
	t       *turns.Scheduler
	offers  []*offer // of slots without work, in the order in which they came
	queued  [pieceClasses]int
	taken   uint32  // pieces taken by background-capable slots
	resumed *Runner // the runner that gets the slot at the next Yield
}

// An offer is a slot that waits for work, and what has been chosen for it.
type offer struct {
	s     *Slot
	actor *turns.Actor
	n     entry.Entry
	got   Got
}

// The classes of pieces: the levels, and runners that want a slot.
const (
	classResume = Levels + iota
	classResumeBackground
	pieceClasses
)

const (
	resumeClasses = 1<<classResume | 1<<classResumeBackground
	levelClasses  = 1<<Levels - 1
)

func (k *Kernel) simulate(t *turns.Scheduler) {
	k.sim = &simulation{k: k, t: t}
	k.hints.Store(hintLevel << High)
	k.cfg.Watch = func() {
		k.watched.Store(false)
		t.Yield()
	}
	t.Attach(k.sim)
}

func (m *simulation) search(s *Slot) (entry.Entry, Got) {
	k := m.k
	if k.stopped.Load() {
		return m.leftover()
	}
	if s.isCalled() {
		return 0, GotCall
	}
	if s.spare && !m.wanted() {
		return 0, GotRetire
	}
	k.idle(s)
	o := &offer{s: s, actor: m.t.Current()}
	o.actor.SetPrompt(true)
	switch { // while we became idle
	case s.isCalled():
		o.got = GotCall
	case !k.stopped.Load():
		m.offers = append(m.offers, o)
	}
	for o.got == GotNone && !k.stopped.Load() {
		m.t.Block(-1)
	}
	o.actor.SetPrompt(false)
	k.busy(s)
	if o.got == GotNone {
		return m.leftover()
	}
	return o.n, o.got
}

// leftover returns what is queued when the kernel is stopped (TU5): nothing is chosen then, and no
// body begins any more.
func (m *simulation) leftover() (entry.Entry, Got) {
	m.k.sweeps.Store(false)
	m.Gather()
	p, ok := m.t.RemoveFirst(m, levelClasses)
	if !ok {
		return 0, GotStop
	}
	m.queued[p.Class]--
	return entry.OfToken(p.Entry), GotTask
}

// call readies the holder of s if it waits for work; else it sees the call before it waits.
func (m *simulation) call(s *Slot) {
	for i, o := range m.offers {
		if o.s == s {
			m.offers = slices.Delete(m.offers, i, i+1)
			o.got = GotCall
			o.actor.SetPrompt(false) // anything may come before
			m.t.Ready(o.actor)
			break
		}
	}
	m.t.Yield()
}

func (m *simulation) wanted() bool {
	m.Gather()
	return m.holds()
}

// holds reports whether there is something to do in the list of choices.
func (m *simulation) holds() bool { return m.queued != [pieceClasses]int{} }

// stop ends all waiting for work, and queues the runners again that want a slot (TU4).
func (m *simulation) stop() {
	for _, p := range m.t.RemoveAll(m, resumeClasses) {
		m.queued[p.Class]--
		m.k.resume[p.Class-classResume].Push(p.Ref.(*Runner))
	}
	for _, o := range m.offers {
		m.t.Ready(o.actor)
	}
	m.offers = nil
}

// Gather implements [turns.Work]: it empties all queues (TU1).
func (m *simulation) Gather() {
	k := m.k
	for _, s := range *k.slots.Load() {
		for i, l := range [...]Level{Normal, BackgroundNormal} {
			d := &s.deques[i]
			for n, r := d.Steal(); r == lockfree.StealOK; n, r = d.Steal() {
				m.add(uint8(l), n.Token(), nil)
			}
		}
		for n, ok := s.inbox.Pop(); ok; n, ok = s.inbox.Pop() {
			m.add(uint8(Normal), n.Token(), nil)
		}
		s.mail.Store(false)
	}
	for l := range k.shared {
		for n, ok := k.shared[l].Pop(); ok; n, ok = k.shared[l].Pop() {
			m.add(uint8(l), n.Token(), nil)
		}
	}
	if k.stopped.Load() {
		return // Stop releases the runners
	}
	for i := range k.resume {
		for r, ok := k.resume[i].Pop(); ok; r, ok = k.resume[i].Pop() {
			m.add(uint8(classResume+i), 0, r)
		}
	}
}

func (m *simulation) add(class uint8, token uint64, ref any) {
	m.queued[class]++
	m.t.Add(m, turns.Piece{Class: class, Entry: token, Ref: ref})
}

// Classes implements [turns.Work].
func (m *simulation) Classes() (set uint32) {
	for _, o := range m.offers {
		set |= m.classesOf(o.s)
	}
	return set
}

// classesOf returns the classes from which s may take now: of the levels, the first nonempty one in
// the order of Next.
func (m *simulation) classesOf(s *Slot) (set uint32) {
	set = 1 << classResume
	end, start := BackgroundHigh, High
	if s.background {
		set, end = resumeClasses, Levels
	}
	if tick := m.taken + 1; tick%fairTick == 0 {
		start = s.fairLevel(tick)
	}
	for i := range end {
		if l := (start + i) % end; m.queued[l] > 0 {
			return set | 1<<l
		}
	}
	return set
}

// Begin implements [turns.Work]: it is TU2.
func (m *simulation) Begin(p turns.Piece) *turns.Actor {
	able := 0
	for _, o := range m.offers {
		if m.classesOf(o.s)>>p.Class&1 != 0 {
			able++
		}
	}
	which := m.t.Any(able) // slots differ only in their numbers
	for i, o := range m.offers {
		if m.classesOf(o.s)>>p.Class&1 == 0 {
			continue
		}
		if which--; which >= 0 {
			continue
		}
		m.offers = slices.Delete(m.offers, i, i+1)
		m.queued[p.Class]--
		if o.s.background && p.Class < Levels {
			m.taken++
		}
		if p.Class >= Levels {
			m.resumed, o.got = p.Ref.(*Runner), GotResume
		} else {
			o.n, o.got = entry.OfToken(p.Entry), GotTask
		}
		return o.actor
	}
	panic("kernel: no slot for a piece that was offered")
}

// Unblock implements [turns.Work]: it adds a slot if bodies that block unseen hold all (TU3).
func (m *simulation) Unblock() bool {
	if m.k.stopped.Load() || !m.holds() {
		return false
	}
	m.k.AddSpare()
	return true
}

// Describe implements [turns.Work].
func (m *simulation) Describe(p turns.Piece) string {
	if r, ok := p.Ref.(*Runner); ok {
		return r.Describe()
	}
	return m.k.cfg.Describe(entry.OfToken(p.Entry), Level(p.Class))
}

// take takes the entry n, which was pushed to a deque, back unless somebody has taken it.
func (m *simulation) take(n entry.Entry) bool {
	p, ok := m.t.Remove(m, levelClasses, n.Token())
	if ok {
		m.queued[p.Class]--
	}
	return ok
}
