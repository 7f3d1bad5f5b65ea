package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A Group is a set of calls that run on the workers and are waited for together. A call has no
// event, name or prerequisites, costs a fraction of a task, and does not count for
// Options.MaxTasks. Make one with [System.NewGroup]; it needs no closing. Any goroutine may call
// its methods. A call that panics or ends its goroutine fails the group; the others run all the
// same. What a call did happens before the return of the Wait that waited for it.
type Group struct {
	sys   *System
	calls idleCount
	open  atomics.Pointer[parcel] // for calls from outside, if there is one
	errs  lockfree.Stack[Event]   // events that failed as calls did, so that somebody must look
}

// NewGroup returns a Group whose calls run on the workers of the system.
func (s *System) NewGroup() *Group { return &Group{sys: s} }

// Go calls f on a worker of the system. l is the system or, which is the cheap way, the [Context]
// of a body that calls. It allocates nothing once the system has seen as many calls at a time.
// The calls of a body have the priority of its task; of another than PriorityNormal each is queued
// alone. After a shutdown f is not called and the group fails with ErrClosed.
func (g *Group) Go(l Launcher, f func()) {
	must(f != nil, "Go of a nil function")
	s := g.sys
	c, inside := l.(*Context)
	must(inside && c.r.sys == s || l == Launcher(s), "Go in a Group of another system")
	var key flight.Key
	if s.log != nil {
		key = s.traceCallLaunch(c, f)
	}
	switch {
	case s.turns != nil, inside && (c.r.o == nil || c.prio != PriorityNormal):
		g.goAlone(f, c, key)
	case !inside:
		g.goOutside(f, key)
	case c.r.o.bundles.Put(g, f, uint64(key)):
		c.r.o.launched++
	default:
		g.goInside(c.r.o, f, key)
	}
}

// goOutside puts a call from outside into the open parcel or a new one, which it queues: G2.
func (g *Group) goOutside(f func(), key flight.Key) {
	s := g.sys
	if p := g.open.Load(); p != nil && !s.door.IsClosed() {
		switch p.Put(g, f, uint64(key)) {
		case bundles.PutDone:
			return
		case bundles.PutLate:
			// The call was counted in p, but too late for Close: it is queued alone.
			if p.Leave(1) {
				s.calls.FreeParcel(p)
			}
			g.inject(s.calls.Lone(g, f, uint64(key), true), key, kernel.Normal)
			return
		case bundles.PutClosed:
		}
	}
	p := s.calls.IdleParcel()
	if p == nil {
		g.goAlone(f, nil, key)
		return
	}
	if !s.enter(p.Number()) {
		s.calls.FreeParcel(p)
		g.refuse(key)
		return
	}
	g.calls.Add(bundles.ParcelSize) // whoever unpacks the parcel gives back the unused ones
	if g.isLate(bundles.ParcelSize, key) {
		s.calls.FreeParcel(p)
		return
	}
	p.Open(g, f, uint64(key))
	s.kern.Inject(entry.Of(entry.Parcel, p.Number()), kernel.Normal)
	g.open.Store(p) // after it is queued, since calls of others must not wait for us
}

// Wait blocks until all calls have ended, those included that are made meanwhile, and returns their
// failures, each to one Wait; or it returns the cause of ctx's end, if that comes first. With the
// Context of a body as ctx it first runs calls of the group, and on a named thread what is bound to
// that and awaited.
func (g *Group) Wait(ctx context.Context) error {
	if err := g.await(ctx); err != nil {
		return err
	}
	return g.result()
}

func (g *Group) await(ctx context.Context) error {
	c := g.sys.bodyIn(ctx)
	if c == nil {
		return g.sys.WaitUntilTasksComplete(ctx, g.Idle())
	}
	if c.r.lane != nil && g.calls.Load() != 0 {
		defer c.r.traceWait(c, nil).end()
	}
	a := awaited{group: g, c: c}
	c.r.linger.Begin()
	c.r.helpBefore(nil, &a)
	idle := [...]Event{g.Idle()}
	if c.r.onThread() {
		return c.r.blockFor(ctx, idle[:], &a)
	}
	if complete(idle[:]) {
		return nil
	}
	return c.awaitUntraced(ctx, idle[:])
}

// Idle returns an event that completes when all calls have ended, those included that are made
// until then. It does not fail if a call does.
func (g *Group) Idle() Event {
	e := g.calls.event(g.sys, func() *label { return groupIsIdle })
	if g.sys.abandoned.Load() { // perhaps nobody has seen e to fail it
		e.Fail(graphevent.ErrClosed)
	}
	return e
}

var groupIsIdle = &label{name: "a group is idle", calls: true}

func (g *Group) fail(err error) {
	s := g.sys
	s.onFailure("call of a Group", err)
	e := s.NewEvent()
	e.Fail(err)
	g.errs.Push(e)
}

func (g *Group) result() error {
	if g.errs.Empty() {
		return nil
	}
	var errs []error
	for e := range g.errs.Drain() {
		errs = append(errs, e.Err())
	}
	return joined(errs)
}
