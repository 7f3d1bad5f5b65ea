package taskgraph

import (
	"context"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
)

// What decides whether a loop is shared, in nanoseconds. A helper that drowses is there in a moment; one
// that sleeps must be woken by the kernel, which takes long, and the caller pays part of it.
const (
	worthStaying = 2_500          // so much left is worth sharing with a helper that stays, see stay
	worthHandy   = 6_000          // so much is worth sharing with one who is there in a moment
	worthAsleep  = 80_000         // and so much with one who must be woken, in one loop or in several, see loopcost.Missed
	worthMissed  = 3 * worthHandy // and so much in several with one who is there in a moment

	evidence   = 1_000  // so long the caller has looked before it believes what it saw
	shortPiece = 5_000  // it looks at the clock no more often
	longPiece  = 20_000 // and no less often, if it can
	shareLeast = 5_000  // a range that the loop chooses takes so long at least

	backgroundTurn = int64(2 * time.Millisecond)
)

// A loop is a loop that is going on. Its memory is used again when the last who was launched for it
// has let go of it. Helpers that are late touch nothing but its crew. loop.md has the protocol.
type loop struct {
	sys   *System
	plain func(lo, hi int) // the body, or
	body  func(p *Participant, lo, hi int) error
	n     int
	grain int    // 0: ranges are chosen
	units uint64 // ranges of grain elements, or elements
	least uint64 // units in a range that is chosen
	parts uint64

	prio   Priority
	yields bool
	limit  int  // of participants
	shared bool // the caller's: there may be others, and the crew is open
	lent   bool // the caller's, a named thread's: it has a slot until the end

	cancels bool  // it has a context that can end
	stayed  int64 // since when a helper stayed that has detached, or 0

	launched atomics.Int32 // helpers
	cut      atomics.Bool  // ended early
	failed   atomics.Pointer[error]

	done   Event // triggered by the last helper to leave; set before the caller waits
	events [1]Event
	left   park.Parker // then unparked: a shutdown may complete done, but not the loop

	crew         kernel.Crew
	participants []seat
}

// A seat is a participant apart from the others.
type seat struct {
	Participant
	helper Event // the task of the participant, written by who launched it; not of a loop that yields
	_      cacheline.Pad
}

// runLoop runs l, whose body is plain if that is not nil, for the body of c or, if c is nil, for
// somebody else. What an element costs is kept at a place.
func (s *System) runLoop(c *Context, l *Loop, plain func(lo, hi int), at loopcost.Place) (err error) {
	run := s.newLoop(c, l, plain)
	defer run.end(c, &err)
	run.participants[0].lead(c, l, at)
	return nil // see end
}

// newLoop returns a loop for the caller alone.
func (s *System) newLoop(c *Context, spec *Loop, plain func(lo, hi int)) *loop {
	l := s.spareLoop(c, spec)
	l.shared = false
	l.plain, l.body = plain, spec.Body
	l.n, l.grain = spec.N, spec.Grain
	if spec.Unbalanced && l.grain == 0 {
		l.grain = 1
	}
	l.units = uint64(l.n)
	if l.grain > 0 && l.n > 0 {
		l.units = uint64((l.n-1)/l.grain) + 1
	}
	l.prio = PriorityNormal
	if c != nil {
		l.prio = c.prio
	}
	if l.yields = spec.Background; l.yields {
		l.prio = PriorityBackgroundNormal
	}
	l.cancels = c != nil && c.ctx != nil
	l.limit = 1
	if !spec.Serial && l.units > 1 && spec.Limit != 1 {
		l.limit = s.participants(c, spec)
	}
	if uint64(l.limit) > l.units {
		l.limit = max(int(l.units), 1)
	}
	if len(l.participants) < l.limit {
		l.participants = make([]seat, l.limit)
		for i := range l.participants {
			l.participants[i].l, l.participants[i].index = l, i
		}
	}
	l.participants[0].c = c
	return l
}

// spareLoop returns a loop that nobody uses. With those like most a helper may stay, see mayStay; the others are kept apart.
func (s *System) spareLoop(c *Context, spec *Loop) *loop {
	if spec.Background || c != nil && (c.prio != PriorityNormal || c.ctx != nil) {
		if l, ok := s.otherLoops.Pop(); ok {
			return l
		}
		return s.freshLoop()
	}
	if c != nil && c.r.spareLoop != nil {
		l := c.r.spareLoop
		c.r.spareLoop = nil
		return l
	}
	if l, ok := s.freeLoops.Pop(); ok {
		return l
	}
	return s.freshLoop()
}

func (s *System) freshLoop() *loop {
	l := &loop{sys: s}
	l.left.Init(s.mode)
	l.left.TakeTurns(s.turns)
	return l
}

// participants returns how many run the loop at most: as many as there are workers, and a caller from outside if there
// is a processor for it.
func (s *System) participants(c *Context, spec *Loop) int {
	limit := s.kern.Workers()
	if (c == nil || !c.r.onSlot()) && (s.turns != nil || limit < runtime.GOMAXPROCS(0)) {
		limit++
	}
	if spec.Limit > 0 {
		limit = min(limit, spec.Limit)
	}
	return limit
}

// free gives back the memory of a loop that nobody refers to: to the runner of the body of c if that has none.
func (l *loop) free(c *Context) {
	l.plain, l.body = nil, nil
	l.participants[0].c = nil
	if l.cut.Load() {
		l.cut.Store(false)
		l.failed.Store(nil)
	}
	switch {
	case !l.isCommon():
		l.sys.otherLoops.Push(l)
	case c != nil && c.r.spareLoop == nil:
		c.r.spareLoop = l
	default:
		l.sys.freeLoops.Push(l)
	}
}

// fail ends the loop early. The first failure counts.
func (l *loop) fail(err error) {
	if !stopsLoop(err) {
		l.failed.CompareAndSwap(nil, &err)
	}
	l.cut.Store(true)
	l.crew.Cut(l.units)
}

// take takes the next units for a participant: LO5.
func (l *loop) take() (from, to uint64, ok bool) {
	if l.grain == 0 {
		from, to, ok = l.crew.TakeMany(l.units, l.parts, l.least)
	} else {
		from, ok = l.crew.Take(l.units)
		to = from + 1
	}
	l.sys.yield()
	return from, to, ok
}

// lead is what the caller does.
func (p *Participant) lead(c *Context, spec *Loop, at loopcost.Place) {
	over := false
	defer p.caught(&over)
	l := p.l
	if l.sys.turns != nil {
		p.leadByTurn(c, spec)
		over = true
		return
	}
	per := at.Known() // of a unit
	if l.grain > 0 {
		per *= float64(l.grain)
	}
	shared := false
	if l.limit > 1 && (spec.Unbalanced || spec.PreWork != nil || l.isWorth(c, per*float64(l.units))) {
		shared = true
		l.begin(c, 0, per)
	}
	if spec.PreWork != nil {
		spec.PreWork()
	}
	switch {
	case l.units == 0:
	case spec.Unbalanced && shared:
		p.rest()
	case spec.Unbalanced:
		p.run(0, l.units)
	default:
		begin := atomics.Now()
		did := uint64(0)
		if !shared {
			did, shared = p.alone(c, begin, per)
		}
		if shared {
			did += p.rest()
		}
		if did > 0 && !l.cut.Load() {
			now := atomics.Now()
			if !shared && l.limit > 1 && now-begin >= worthStaying {
				l.sys.missedBy(c).Alone(begin, now)
			}
			took := float64(now-begin) / float64(did)
			if l.grain > 0 {
				took /= float64(l.grain)
			}
			at.Learn(took)
		}
	}
	over = true
}

// rest is share for the caller. It returns how many units it took.
func (p *Participant) rest() (did uint64) {
	for {
		from, to, ok := p.l.take()
		if !ok {
			return did
		}
		if !p.run(from, to) {
			return did
		}
		did += to - from
	}
}

// alone runs units on the caller alone (LO1) until none is left, or what is left is worth sharing:
// then it shares them. It knows the cost of a unit, or guesses it from the last piece, which tells
// more about what is to come than those before it.
func (p *Participant) alone(c *Context, begin int64, per float64) (did uint64, shared bool) {
	l := p.l
	last := begin
	step := l.units/1024 + 1
	for {
		left := float64(l.units - did)
		if per > 0 {
			step = uint64(max(min(max(left/8, shortPiece/per), longPiece/per), 1))
		}
		step = min(step, l.units-did)
		if !p.run(did, did+step) {
			return did, false
		}
		did += step
		if did == l.units {
			return did, false
		}
		now := atomics.Now()
		took := now - last
		last = now
		if took <= 0 { // a coarse clock
			step *= 4
			continue
		}
		seen := float64(took) / float64(step)
		if took < evidence/2 {
			step *= 4
			per = 0
		} else {
			per = seen
		}
		if l.limit > 1 && now-begin >= evidence && l.isWorth(c, seen*float64(l.units-did)) {
			l.begin(c, did, seen)
			return did, true
		}
	}
}

// isWorth reports whether so many nanoseconds that are left are worth sharing.
func (l *loop) isWorth(c *Context, left float64) bool {
	switch {
	case left < worthStaying:
		return false
	case left >= worthAsleep || l.crew.Stays():
		return true
	}
	missed := int64(worthAsleep)
	if l.sys.kern.Handy(l.prio.level()) {
		if left >= worthHandy {
			return true
		}
		missed = worthMissed
	}
	return l.sys.missedBy(c).IsDue(missed)
}

// begin shares what is left after the first units, of a given cost: LO2.
func (l *loop) begin(c *Context, taken uint64, per float64) {
	l.parts = 3 * uint64(l.limit)
	l.least = 1
	if per > 0 {
		l.least = uint64(max(1, min(shareLeast/per, float64(l.units-taken)/float64(l.parts))))
	}
	// A thread that there is a processor for beside all workers takes none of them the place.
	l.shared, l.lent = true, c != nil && c.forks == nil && l.sys.kern.Workers() >= runtime.GOMAXPROCS(0) && c.r.enter()
	l.launched.Store(1)
	if l.crew.Open(taken) {
		return
	}
	l.launched.Store(0)
	l.learnStay()
	l.launch(c)
}

// launch launches the next helper, if there is one left and work for it: LO3.
func (l *loop) launch(c *Context) {
	if !l.crew.Left(l.units) {
		return
	}
	if i := int(l.launched.Add(1)); i < l.limit {
		e := l.queue(&l.participants[i].Participant, c)
		if !l.yields { // else the helper may have launched itself again
			l.participants[i].helper = e
		}
	}
}

// queue launches the helper p.
func (l *loop) queue(p *Participant, c *Context) (e Event) {
	l.crew.Launch()
	s, b := l.sys, Body{p}
	switch {
	case c != nil && l.prio == PriorityNormal && c.ctx == nil:
		e = c.Spawn(b)
	case c != nil:
		e = c.Task(b).Priority(l.prio).Launch()
	case l.prio == PriorityNormal:
		e = s.launchNow(b)
	default:
		e = s.Task(b).Priority(l.prio).Launch()
	}
	if e == s.closed {
		p.late() // nobody else will
	}
	return e
}

// end ends the loop for helpers that have not joined, waits for those that have, and returns the failure.
func (l *loop) end(c *Context, err *error) {
	if l.shared && !l.crew.Close() { // LO6
		l.await(c)
	}
	if failed := l.failed.Load(); failed != nil {
		*err = *failed
	}
	if l.shared {
		l.takeBack(c)
		if l.lent {
			c.lent = true // perhaps a call of the body has forked
			c.exitFor()
		}
	}
	if l.shared && !l.crew.IsKept() {
		l.participants[0].late()
	} else {
		l.free(c)
	}
}

// takeBack ends the helpers that have not started, so that they do not keep the memory of the loop
// until a worker comes upon them: LO9. Nobody is at work any more, and nobody launches.
func (l *loop) takeBack(c *Context) {
	s := l.sys
	if s.turns != nil {
		return
	}
	for i := 1; i < l.limit && i <= int(l.launched.Load()); i++ {
		e := l.participants[i].helper
		l.participants[i].helper = Event{}
		if e.Store() != s.store || e.IsComplete() {
			continue
		}
		switch {
		case c == nil || !c.r.onSlot():
			if s.store.TryClaim(e) {
				s.endUnrun(e.Node(), nil)
			}
		case !s.kern.PopIf(c.r.Slot(), entry.OfTask(e.Node())):
			c.r.tryRun(e)
		case s.store.Claim(e.Node(), &c.r.Slot().Cache):
			c.r.execute(e.Node()) // it finds the crew closed
		}
	}
}

// waitSpins is how often the end of a loop looks before it is a wait like others: some microseconds, since what is left
// of the last range is short.
const waitSpins = 256

// await waits until no helper is at work any more: LO7.
func (l *loop) await(c *Context) {
	s := l.sys
	if s.spin {
		for range waitSpins {
			if l.crew.IsDone() {
				return
			}
			atomics.Pause(4)
		}
	}
	l.left.Reset()
	l.done = s.store.NewEvent()
	s.colds.At(uint32(l.done.Node())).loop.Store(l.done.Generation())
	l.events[0] = l.done
	if l.crew.Await() {
		l.done.Trigger() // the last has left meanwhile
		return
	}
	ctx := context.Background()
	if c == nil {
		_ = s.WaitUntilTasksComplete(ctx, l.events[:]...)
	} else {
		_ = c.r.block(ctx, l.events[:])
	}
	for !l.crew.IsDone() {
		// A shutdown has ended the wait, or failed the event. The helpers still call the body.
		l.left.Park()
	}
}

// stopped returns why the task should do nothing further, or nil.
func (c *Context) stopped() error {
	if c.ctx != nil && c.ctx.Err() != nil {
		return &cancelError{context.Cause(c.ctx)}
	}
	if c.r.sys.abandoned.Load() {
		return graphevent.ErrClosed
	}
	return nil
}

// helpersHaveLeft is what reports call the event that the caller of a loop waits for at last.
var helpersHaveLeft = &label{name: "helpers of a loop have left", loop: true}
