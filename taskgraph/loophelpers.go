package taskgraph

import (
	"context"
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// shareLeast is the least length, in nanoseconds, of a range that the loop chooses.
const shareLeast = 5_000

// begin shares the units after the first taken ones; per is the cost of each: LO2.
func (l *loop) begin(c *Context, taken uint64, per float64) {
	l.parts = 3 * uint64(l.limit)
	l.least = 1
	l.run = 0
	if c != nil && c.graph != nil {
		l.run = c.graph.shown.Load()
	}
	if per > 0 {
		l.least = uint64(max(1, min(shareLeast/per, float64(l.units-taken)/float64(l.parts))))
	}
	// A thread takes a slot, and so a worker's place, only if the workers leave it no processor.
	l.shared, l.lent = true, c != nil && c.forks == nil &&
		l.sys.kern.Workers() >= runtime.GOMAXPROCS(0) && c.r.enter()
	l.launched.Store(1)
	if l.crew.Open(taken) {
		return
	}
	l.launched.Store(0)
	if l.stayed != 0 { // no helper stays any more: perhaps one should have stayed longer
		l.sys.loopStay.Learn(atomics.Now() - l.stayed)
		l.stayed = 0
	}
	l.launch(c)
}

// launch launches the next helper, if one is left and there is work for it: LO3.
func (l *loop) launch(c *Context) {
	if !l.crew.Left(l.units) {
		return
	}
	if i := int(l.launched.Add(1)); i < l.limit {
		e := l.queue(&l.participants[i].Participant, c)
		if !l.yields { // otherwise the helper may have launched itself again
			l.participants[i].helper = e
		}
	}
}

func (l *loop) queue(p *Participant, c *Context) (e Event) {
	l.crew.Launch()
	s, b := l.sys, Body{p}
	switch {
	case c != nil && l.prio == PriorityNormal && c.ctx == nil:
		e = c.spawnHelper(b, l.run)
	case c != nil:
		e = c.Task(b).Priority(l.prio).Launch()
	case l.prio == PriorityNormal:
		e = s.launchNow(b)
	default:
		e = s.Task(b).Priority(l.prio).Launch()
	}
	if e == s.closed {
		p.late() // nobody else will call it
	}
	return e
}

// spawnHelper is Spawn for a helper of a loop that is part of a run of a graph: a wait for the run
// finds the helper by that. run is what refOf returns for the run, or 0 if there is none.
func (c *Context) spawnHelper(b Body, run uint64) Event {
	s, o := c.r.sys, c.r.o
	if run == 0 || o == nil || s.detour || c.prio != PriorityNormal {
		return c.Spawn(b)
	}
	n := s.store.Acquire(&o.slot.Cache)
	cold := s.colds.At(uint32(n))
	cold.init(b)
	cold.part.Store(run)
	e := s.store.Start(n, 0)
	o.launched++
	if s.log != nil {
		s.traceLaunch(o, c, e, flight.LaunchNow)
	}
	s.kern.Spawn(o.slot, entry.OfHelper(n))
	return e
}

// late drops the reference of a helper that has left the loop, comes too late, or does not run.
func (p *Participant) late() {
	if l := p.l; l.crew.Drop() {
		l.free()
	}
}

// end ends the loop for helpers that have not joined, waits for those that have, and returns the
// failure.
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
			c.lent = true // a call of the loop's body may have forked
			c.exitFor()
		}
	}
	if l.shared && !l.crew.IsKept() {
		l.participants[0].late()
	} else {
		l.free()
	}
}

// takeBack ends the helpers that have not started, so that they do not keep the memory of the loop
// until a worker pops them: LO9. Nobody is at work or launches any more.
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
		if c == nil || !c.r.onSlot() {
			if s.store.TryClaim(e) {
				s.endUnrun(e.Node(), nil)
			}
			continue
		}
		switch n, slot := e.Node(), c.r.Slot(); {
		case !s.kern.PopIf(slot, entry.OfHelper(n)) && !s.kern.PopIf(slot, entry.OfTask(n)):
			c.r.tryRun(e)
		case s.store.Claim(n, &slot.Cache):
			c.r.execute(n) // it finds the crew closed
		}
	}
}

// waitSpins is how often the end of a loop looks before it becomes an ordinary wait: for some
// microseconds, since the rest of the last range is short.
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
	l.done[0] = s.store.NewEvent()
	s.colds.At(uint32(l.done[0].Node())).part.Store(refOf(l.done[0]))
	if l.crew.Await() {
		l.done[0].Trigger() // the last helper has left meanwhile
		return
	}
	ctx := context.Background()
	if c == nil {
		_ = s.WaitUntilTasksComplete(ctx, l.done[:]...)
	} else {
		_ = c.r.block(ctx, l.done[:])
	}
	for !l.crew.IsDone() {
		// A shutdown has ended the wait, or failed the event. The helpers still call the body.
		l.left.Park()
	}
}
