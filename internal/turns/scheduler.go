package turns

import "slices"

// A Scheduler decides which actor runs. The goroutine that made it is its first actor, and has the
// turn.
//
// # Concurrency
//
// Everything is for the goroutine that has the turn. What it did before it gave the turn away
// synchronizes before the return of the call with which the next goroutine had given its turn away.
type Scheduler struct {
	//	I1 current is the actor that has the turn. Nobody else touches any field.
	//	I2 an actor is current, or in items or prompt, or it waits for something: for a Ready, a
	//	   timer, a condition.
	//	I3 the turn goes from one actor to the next by a send to the channel of the next, as the
	//	   last step.
	choice  chooser
	trace   func(string) // or nil
	current *Actor
	main    *Actor
	front   *Actor // it ran last by choice and could continue

	items  []item   // what can run, the oldest first
	prompt []*Actor // actors that run at once, without a choice

	works   []Work
	conds   []*Actor // actors that wait for a condition
	ends    []*end
	timers  []*Timer
	now     int64
	created uint64 // timers made
	steps   uint64
	calls   uint64 // of CheckSometimes

	choosing bool // inside next, where nobody may yield
	closing  bool
	closed   bool
	onStuck  func() error
	stuck    error // for the first actor, and not taken yet

	candidates []int // of choose
}

// An item is an actor that can run, or a piece of work.
type item struct {
	actor *Actor
	work  Work
	piece Piece
	rank  uint64 // of the piece
}

// New returns a Scheduler of which the caller is the first actor.
func New(o Options) *Scheduler {
	s := &Scheduler{choice: newChooser(o.Seed, o.Schedule), trace: o.Trace, onStuck: o.OnStuck}
	s.main = s.newActor(func() string { return "main" })
	s.main.id = goroutine()
	s.current = s.main
	return s
}

// Yield lets another actor run if one is chosen. On a nil Scheduler it does nothing.
func (s *Scheduler) Yield() {
	if s != nil {
		s.yield()
	}
}

func (s *Scheduler) yield() {
	if s.choosing || s.closed {
		return
	}
	me := s.me(s.steps%checkEvery == 0)
	s.front = me
	s.give(me, s.next(me))
}

// Block waits until the caller is made ready, or for d, if that is not negative: then it reports
// true. It may return for no reason.
func (s *Scheduler) Block(d int64) (expired bool) {
	me := s.me(s.steps%checkEvery == 0)
	return s.block(me, d)
}

func (s *Scheduler) block(me *Actor, d int64) (expired bool) {
	me.waits, me.expired = true, false
	var t *Timer
	if d >= 0 {
		t = s.newTimer(d)
		t.actor = me
	}
	s.forget(me)
	s.give(me, s.next(nil))
	if t != nil {
		t.Stop()
	}
	if me.failed {
		me.failed = false
		err := s.stuck
		s.stuck = nil
		panic(err)
	}
	return me.expired
}

// forget notes that me does not continue.
func (s *Scheduler) forget(me *Actor) {
	if s.front == me {
		s.front = nil
	}
}

// BlockUntil waits until cond returns true; cond is called whenever an actor gives its turn away.
func (s *Scheduler) BlockUntil(cond func() bool) {
	me := s.me(true)
	for !cond() {
		me.cond = cond
		s.conds = append(s.conds, me)
		s.block(me, -1)
		if me.cond != nil {
			me.cond = nil
			s.conds = slices.DeleteFunc(s.conds, func(a *Actor) bool { return a == me })
		}
	}
}

// Ready makes a ready, if it waits.
func (s *Scheduler) Ready(a *Actor) {
	if !a.waits {
		return
	}
	a.waits = false
	s.enlist(a)
}

func (s *Scheduler) enlist(a *Actor) {
	if a.gone {
		panic("turns: an actor that has left is to go on")
	}
	if a.prompt {
		s.prompt = append(s.prompt, a)
		return
	}
	s.items = append(s.items, item{actor: a})
}

// give gives the turn of me to the actor to, and waits until it comes back.
func (s *Scheduler) give(me, to *Actor) {
	if me == to {
		return
	}
	s.current = to
	to.turn <- struct{}{}
	<-me.turn
}

// Any returns a number below n that does not count as a choice: for decisions with hardly any
// visible effect.
func (s *Scheduler) Any(n int) int { return s.choice.any(n) }

// Quiesce lets everything except timers run to its end; afterwards the caller takes no part any
// more.
func (s *Scheduler) Quiesce() {
	me := s.me(true)
	if me != s.main {
		panic("turns: Quiesce by another than the first")
	}
	s.closing = true
	me.waits = true
	s.forget(me)
	s.give(me, s.next(nil))
	s.closed = true
}
