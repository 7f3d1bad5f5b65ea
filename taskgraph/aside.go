package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// An aside is a goroutine that runs the awaited tasks of a waiting body, in the name of the body's
// runner, while the goroutine of the body sleeps. A Goexit cannot be stopped: on an aside it ends
// the aside and not the waiting body.
type aside struct {
	sys  *System
	wake *park.Parker // of the aside
	back *park.Parker // of the goroutine that waits for the aside
	gid  uint64
	work asideWork // the zero value: the aside has to end
	died bool      // by a Goexit

	events []Event // memory for those of work
}

// An asideWork is what an aside runs. It is a struct because a closure would be allocated.
type asideWork struct {
	r      *runner
	events []Event
	group  *Group   // as in awaited
	c      *Context // as group
}

// manyEvents is for how many events an aside keeps memory.
const manyEvents = 1024

// helpAside makes an aside run what a wait can run: R5 and R7. When a Goexit ends the aside it
// continues with another one.
func (r *runner) helpAside(events []Event, of *awaited) {
	s := r.sys
	gid := &r.ownWait().GID
	mine := gid.Load()
	for {
		a, ok := s.asides.Pop()
		if !ok {
			a = &aside{sys: s, wake: s.newParker(park.Go), back: s.newParker(park.Go)}
		}
		a.events = append(a.events[:0], events...) // else the events of each wait escape
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

// run runs the work that the wait has given, and wakes the wait: R6.
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

// endAsides ends the asides that nobody uses. Whoever gives an aside back looks afterwards whether
// the workers have ended, which is announced before endAsides.
func (s *System) endAsides() {
	for a, ok := s.asides.Pop(); ok; a, ok = s.asides.Pop() {
		a.wake.Unpark()
	}
}

// mayHelp reports whether a wait for events is likely to find something to run.
func (r *runner) mayHelp(events []Event) bool {
	s := r.sys
	if e, ok := s.kern.Newest(r.Slot()); ok && mayBePart(e) {
		return true
	}
	var buf [8]Event
	for _, e := range events[max(0, len(events)-runsAwaited):] {
		if e.IsComplete() || e.Store() != s.store {
			continue
		}
		if st := e.State(); st == graphevent.StateReady ||
			len(s.store.Prerequisites(e, buf[:0])) > 0 {
			return true
		}
	}
	return len(events) > runsAwaited
}
