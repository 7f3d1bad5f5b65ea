package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// Run runs b as a task on the calling goroutine, which takes part as a worker until the task is
// complete: the fastest way to run a step of a program, since nobody has to be woken at its
// beginning and end. It returns the failure of the task. If ctx ends, the body's Context does, as
// with [Task.Context], and Run returns the cause once the body has returned, without a wait for the
// rest of the task.
//
// While it takes part one worker fewer is woken. As many callers as workers take part at a time;
// others, and those in deterministic mode, launch the task and wait for it. A named thread of the
// registry takes part as well, and runs what is bound to it and awaited. With the Context of a body
// as ctx, that body's worker runs b. What runs here and calls runtime.Goexit ends the calling
// goroutine.
func (s *System) Run(ctx context.Context, b Body) error {
	b.must()
	return s.runHere(ctx, b)
}

// RunGraph runs g as [System.Run] runs a task. It returns what the event of [System.LaunchGraph]
// fails with, and panics where that does.
func (s *System) RunGraph(ctx context.Context, g *Graph) error {
	g.begin(s)
	return s.runHere(ctx, Body{g})
}

func (s *System) runHere(ctx context.Context, b Body) error {
	if c := s.bodyIn(ctx); c != nil {
		return c.runHere(b)
	}
	t := s.Task(b)
	if t.ev.Store() != s.store { // refused
		b.drop()
		return t.ev.Err()
	}
	if s.canEnd(ctx) {
		t = t.Context(ctx)
	}
	if t.over {
		return s.WaitUntilTasksComplete(ctx, t.Launch())
	}
	if s.turns == nil {
		if r := s.currentThread(); r != nil {
			return s.runOnThread(ctx, r, t)
		}
	}
	r := s.join()
	if r == nil {
		return s.WaitUntilTasksComplete(ctx, t.Launch())
	}
	r.runAsCaller(t)
	return s.WaitUntilTasksComplete(ctx, t.ev) // C5
}

// runHere runs b on top of the body of c, like a launch and a wait. Nobody is woken for it.
func (c *Context) runHere(b Body) error {
	r := c.r
	s, o := r.sys, r.o
	if o == nil || r.onThread() || c.ctx != nil || c.prio != PriorityNormal || s.detour ||
		s.opts.IsolateWaits || s.turns != nil {
		return c.WaitUntilTasksComplete(c, c.Spawn(b))
	}
	n := s.store.Acquire(&o.slot.Cache) // as in Spawn, for which one more call would cost a tenth
	s.colds.At(uint32(n)).init(b)
	e := s.store.Start(n, 0)
	o.launched++
	if s.log != nil {
		s.traceLaunch(o, c, e, flight.LaunchNow)
	}
	c.runFirst(n, e)
	return c.WaitUntilTasksComplete(c, e)
}

// runFirst runs the task of e, which is in no queue, inside a wait for it.
func (c *Context) runFirst(n graphevent.Node, e Event) {
	r := c.r
	s := r.sys
	if s.opts.Threads != nil {
		defer r.unpublish(r.publish([]Event{e}))
	}
	if s.store.Claim(n, &r.Slot().Cache) {
		r.nested(n)
	}
}

// join returns the runner with which the calling goroutine takes part (C1), or nil if it cannot.
func (s *System) join() *runner {
	if s.turns != nil {
		return nil
	}
	r, ok := s.callers.Pop()
	if !ok {
		r = cacheline.New[runner]()
		r.Runner, r.sys, r.kind, r.awaited = s.kern.NewCaller(s.mode), s, callerRunner,
			make([]Event, 1)
		r.slotWait.End = r.End
		r.initLinger()
		r.takeLane(trace.LaneWorker, "caller")
	}
	if !r.Join() {
		s.callers.Push(r)
		return nil
	}
	r.hold()
	if r.lane != nil {
		r.lane.Rest()
	}
	if s.opts.Sites {
		r.slotWait.GID.Store(goroutine.ID())
	} else {
		r.slotWait.GID.Store(0)
	}
	return r
}

// part ends what join began: C4.
func (r *runner) part() {
	r.flush()
	r.leaveLookout()
	r.o = nil
	r.Part()
	r.sys.callers.Push(r)
}

// runAsCaller launches t, runs it (C2), and helps until t is complete or there has been nothing to
// run for a while.
func (r *runner) runAsCaller(t Task) {
	defer r.part()
	if !t.claim() {
		return
	}
	r.nested(t.ev.Node())
	r.awaited[0] = t.ev
	r.linger.Begin()
	var a awaited
	r.help(r.awaited, &a) // C3
}

// runOnThread is runHere on the named thread of r.
func (s *System) runOnThread(ctx context.Context, r *threadRunner, t Task) error {
	if !r.onSlot() {
		if !r.enter() {
			return s.WaitUntilTasksComplete(ctx, t.Launch())
		}
		defer r.exit()
	}
	if t.claim() {
		r.nested(t.ev.Node())
	}
	r.linger.Begin()
	events := [...]Event{t.ev}
	if err := r.waitOnThread(ctx, events[:], &awaited{helps: r.mayTakePart()}); err != nil {
		return err
	}
	return t.ev.Err()
}
