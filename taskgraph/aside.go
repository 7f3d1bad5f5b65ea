package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// An aside is a goroutine on which a body that waits has run what it waits for, in the name of its runner, while its own
// goroutine sleeps. A Goexit cannot be stopped where it happens: there it ends the aside, and not the body.
type aside struct {
	sys  *System
	wake *park.Parker // of the aside
	back *park.Parker // of who waits for it
	gid  uint64
	work asideWork // the zero value: it is to end
	died bool      // by a Goexit

	events []Event // memory for those of work
}

// An asideWork is what is to be run. It is a struct and no function, which would be allocated.
type asideWork struct {
	r      *runner
	events []Event
	group  *Group   // as in awaited
	c      *Context // as group
}

// manyEvents are more than an aside keeps memory for.
const manyEvents = 1024

// helpAside has an aside run what a wait can run: R5 and R7. It goes on with another aside each
// time that a Goexit ends one.
func (r *runner) helpAside(events []Event, of *awaited) {
	s := r.sys
	gid := &r.ownWait().GID
	mine := gid.Load()
	for {
		a, ok := s.asides.Pop()
		if !ok {
			a = &aside{sys: s, wake: s.newParker(park.Go), back: s.newParker(park.Go)}
		}
		a.events = append(a.events[:0], events...) // a copy, or every caller of a wait would have to allocate them
		a.work = asideWork{r, a.events, of.group, of.c}
		if ok {
			a.wake.Unpark()
		} else {
			s.runners.Add(1)
			s.startGoroutine(true, a.describe, a.main)
		}
		a.back.Park()
		gid.Store(mine)
		if a.died {
			r.exited = ""
			continue
		}
		a.work = asideWork{}
		if cap(a.events) > manyEvents {
			a.events = nil
		}
		clear(a.events)
		s.asides.Push(a)
		if s.stopped.Load() {
			s.endAsides()
		}
		return
	}
}

// main runs what is given to the aside until there is nothing more.
func (a *aside) main() {
	defer a.sys.leave()
	a.gid = goroutine.ID()
	if t := a.sys.turns; t != nil {
		t.Current().SetName(a.describe)
	}
	for a.work.r != nil {
		a.run()
		a.wake.Park()
	}
}

// run runs what the wait gave, and lets it go on: R6.
func (a *aside) run() {
	a.died = true
	defer a.back.Unpark()
	w := &a.work
	w.r.ownWait().GID.Store(a.gid)
	of := awaited{group: w.group, c: w.c, aside: true}
	of.seek(w.events)
	w.r.stayAwake(w.events, &of)
	a.died = false
}

func (a *aside) describe() string {
	if r := a.work.r; r != nil {
		return r.describe()
	}
	return "an idle aside"
}

// endAsides ends those that nobody uses. Who gives one back does so and then looks whether the workers have ended; who ends them says so
// first.
func (s *System) endAsides() {
	for a, ok := s.asides.Pop(); ok; a, ok = s.asides.Pop() {
		a.wake.Unpark()
	}
}

// mayHelp reports whether a wait for events is likely to find something to run.
func (r *runner) mayHelp(events []Event) bool {
	s := r.sys
	if e, ok := s.kern.Newest(r.Slot()); ok && isOfGraph(e) {
		return true
	}
	var buf [8]Event
	for _, e := range events[max(0, len(events)-runsAwaited):] {
		if e.IsComplete() || e.Store() != s.store {
			continue
		}
		if st := e.State(); st == graphevent.StateReady || len(s.store.Prerequisites(e, buf[:0])) > 0 {
			return true
		}
	}
	return len(events) > runsAwaited
}
