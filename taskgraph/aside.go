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
	died bool // by a Goexit

	r      *runner // that waits; nil: the aside has to end
	of     awaited // the wait
	events []Event // of the wait
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
		a.r, a.of = r, awaited{group: of.group, c: of.c, aside: true}
		if ok {
			a.wake.Unpark()
		} else {
			s.runners.Add(1)
			s.turns.Go(true, a.describe, a.main)
		}
		a.back.Park()
		gid.Store(mine)
		if a.died {
			r.exited = ""
			continue
		}
		a.r, a.of = nil, awaited{}
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
	a.sys.turns.SetName(a.describe)
	for a.r != nil {
		a.run()
		a.wake.Park()
	}
}

// run runs the work that the wait has given, and wakes the wait: R6.
func (a *aside) run() {
	a.died = true
	defer a.back.Unpark()
	a.r.ownWait().GID.Store(a.gid)
	a.of.seek(a.events)
	a.r.stayAwake(a.events, &a.of)
	a.died = false
}

func (a *aside) describe() string {
	if a.r != nil {
		return a.r.describe()
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
