package abandon

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A Flag is said once, before a look at all that it is about. Whoever brings about such a thing
// does so, and then loads the flag.
type Flag struct{ said atomics.Bool }

// Load reports whether the flag was said.
func (f *Flag) Load() bool { return f.said.Load() }

// An Ending ends what is incomplete in a system. Its methods but Late and Disown are called by one
// goroutine, in the order Abandon, EndSources, Force any number of times, Stop; or Stop alone.
type Ending struct {
	Abandoned *Flag // what waits gives up
	Stopped   *Flag // nobody takes what becomes ready

	Store *graphevent.Store
	By    graphevent.Scheduler // of what the ends make ready

	// Waits are those of the bodies of a task's event.
	Waits func(graphevent.Node) *waits.List

	// Spares reports whether an event that is not triggered ends by other means.
	Spares func(graphevent.Event) bool

	// Still reports whether no body goes on, at some moment during the call.
	Still func() bool

	// Refuse completes a claimed task whose body does not run.
	Refuse func(graphevent.Node)

	// Forces is called before an event is completed whose body has returned, and what it returns
	// after that, if it is not nil.
	Forces func(graphevent.Event) (after func())
}

// Abandon says that what waits gives up.
func (x *Ending) Abandon() { x.Abandoned.said.Store(true) } // AB1

// EndSources ends what others wait for and nobody brings about: events that are not triggered,
// tasks that were not launched or wait to run again, and waits of bodies. Most else follows.
func (x *Ending) EndSources() {
	for e := range x.Store.Incomplete { // AB2
		x.Store.Disown(e, graphevent.ErrClosed, x.By)
		switch e.State() {
		case graphevent.StateUntriggered:
			if !x.Spares(e) {
				e.Fail(graphevent.ErrClosed)
			}
		case graphevent.StateHeld:
			x.Store.AbandonHeld(e, graphevent.ErrClosed, x.By) // it may be launched just now
		case graphevent.StateExecuting:
			for w := x.Waits(e.Node()).First(); w != nil; w = w.Next() {
				w.End()
			}
		default:
		}
	}
}

// Disown gives up a task that waits to run again, for who has made it wait and then found that the
// system gives up.
func (x *Ending) Disown(e graphevent.Event) {
	x.Store.Disown(e, graphevent.ErrClosed, x.By) // AB4
}

// Force completes what does not follow: what waits in a circle, and what is ready where nobody
// takes it. No body begins any more, and what is executing has returned if no body goes on.
func (x *Ending) Force() {
	for e := range x.Store.Incomplete { // AB5
		switch e.State() {
		case graphevent.StateReady:
			if x.Store.TryClaim(e) {
				x.Refuse(e.Node())
			}
		case graphevent.StateExecuting:
			if !x.Still() { // AB6
				continue
			}
			after := x.Forces(e)
			if x.Store.Abandon(e, graphevent.ErrClosed, x.By) && after != nil {
				after()
			}
		default:
			x.Store.Abandon(e, graphevent.ErrClosed, x.By)
		}
	}
}

// Stop says that nobody takes what becomes ready.
func (x *Ending) Stop() { x.Stopped.said.Store(true) } // AB7

// RefuseReady completes what is ready, after Stop.
func (x *Ending) RefuseReady() {
	for e := range x.Store.Incomplete { // AB8
		if x.Store.TryClaim(e) {
			x.Refuse(e.Node())
		}
	}
}

// Late completes n, which is ready, if nobody would take it, and reports whether that is so. Else
// its caller queues it.
func (x *Ending) Late(n graphevent.Node) bool {
	if !x.Stopped.Load() { // AB9
		return false
	}
	if x.Store.Claim(n, nil) {
		x.Refuse(n)
	}
	return true
}
