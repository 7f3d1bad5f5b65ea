package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/asides"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// A helped is what an aside does for a runner whose body sleeps in a wait: it runs what is awaited.
type helped struct {
	gid    uint64  // of the aside
	r      *runner // that waits; nil: the aside is idle
	of     awaited // the wait
	events []Event // of the wait
}

// manyEvents is for how many events an aside keeps memory.
const manyEvents = 1024

func (s *System) initAsides() {
	s.asides.Do = (*helped).do
	s.asides.Parker = func() *park.Parker { return s.newParker(park.Go) }
	s.asides.Start = func(a *asides.Aside[helped]) {
		s.runners.Add(1)
		s.turns.Go(true, a.Work.describe, func() {
			defer s.leave()
			s.turns.SetName(a.Work.describe)
			a.Main()
		})
	}
}

// helpAside makes an aside run what a wait can run, and another one if a Goexit ends it.
func (r *runner) helpAside(events []Event, of *awaited) {
	s := r.sys
	gid := &r.ownWait().GID
	mine := gid.Load()
	for {
		a := s.asides.Get()
		w := &a.Work
		w.events = append(w.events[:0], events...) // else the events of each wait escape
		w.r, w.of = r, awaited{group: of.group, c: of.c, aside: true}
		returned := a.Run()
		gid.Store(mine)
		if !returned {
			r.exited = ""
			continue
		}
		w.r, w.of = nil, awaited{}
		if cap(w.events) > manyEvents {
			w.events = nil
		}
		clear(w.events)
		s.asides.Put(a)
		return
	}
}

func (w *helped) do() {
	if w.gid == 0 {
		w.gid = goroutine.ID()
	}
	w.r.ownWait().GID.Store(w.gid)
	w.of.seek(w.events)
	w.r.stayAwake(w.events, &w.of)
}

func (w *helped) describe() string {
	if w.r != nil {
		return w.r.describe()
	}
	return "an idle aside"
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
