package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// Run runs b as a task on the calling goroutine, which takes part as a worker until the task is
// complete. It is the fastest way to run a step of a program, since no worker has to be woken at
// its beginning and no caller at its end. Run returns the failure of the task. If ctx ends, the
// body's Context ends too, as with [Task.Context]. Run then returns the cause as soon as the body
// has returned, without waiting for the rest of the task.
//
// While the caller takes part, one worker fewer is woken. At most as many callers as workers take
// part at the same time. Other callers, and all callers in deterministic mode, launch the task and
// wait for it. A named thread of the registry takes part as well, and runs awaited tasks that are
// bound to it. If ctx is the Context of a body, that body's worker runs b. If something that runs
// here calls runtime.Goexit, the calling goroutine ends.
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
	c := s.bodyIn(ctx)
	t := s.task(c, b)
	if t.ev.Store() != s.store { // refused
		b.drop()
		return t.ev.Err()
	}
	if c == nil && s.canEnd(ctx) {
		t = t.Context(ctx)
	}
	switch {
	case t.over || s.turns != nil:
		t.Launch()
	case c != nil:
		c.runFirst(t)
	default:
		if r := s.currentThread(); r != nil {
			return s.runOnThread(ctx, r, t)
		}
		if r := s.join(); r != nil {
			r.runAsCaller(t)
		} else {
			t.Launch()
		}
	}
	return s.waitIn(ctx, c, t.ev) // C5
}

// runFirst runs t inside a wait for it, on top of the body of c, where such a wait runs anything.
// Nobody is woken for it.
func (c *Context) runFirst(t Task) {
	r := c.r
	if !r.onSlot() || r.onThread() || r.sys.opts.IsolateWaits {
		t.Launch()
		return
	}
	if r.sys.opts.Threads != nil {
		defer r.unpublish(r.publish([]Event{t.ev}))
	}
	if t.claim() {
		r.nested(t.ev.Node())
	}
}

// join returns the runner with which the calling goroutine takes part (C1), or nil if it cannot.
func (s *System) join() *runner {
	r, ok := s.callers.Pop()
	if !ok {
		r = cacheline.New[runner]()
		r.Runner, r.sys, r.kind = s.kern.NewCaller(s.mode), s, callerRunner
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
	s.knowCaller(&r.slotWait)
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
	r.linger.Begin()
	events := [...]Event{t.ev}
	r.help(events[:], &awaited{}) // C3
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
