package assets

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A signal is the event of the end of something, which is made when somebody first asks for it:
// what most resources do without.
//
//	D1 Of the events that are made one is put in place, by a compare-and-swap.
//	D2 Who ends stores over and then looks for an event; who asks has an event in place and then
//	   looks at over. One of the two sees the other, and completes the event: only the first time
//	   counts.
type signal struct {
	event atomics.Pointer[taskgraph.Event]
	over  atomics.Bool
	err   error // written before over
}

// get returns the event, under a name. Any goroutine may call it.
func (s *signal) get(sys *taskgraph.System, name string) taskgraph.Event {
	e := s.event.Load()
	if e == nil {
		fresh := sys.Name(sys.NewEvent(), name)
		if s.event.CompareAndSwap(nil, &fresh) { // D1
			e = &fresh
		} else {
			fresh.Trigger() // made in vain
			e = s.event.Load()
		}
	}
	if s.over.Load() { // D2
		s.complete(*e)
	}
	return *e
}

// end is called once, with nil or why it failed.
func (s *signal) end(err error) {
	s.err = err
	s.over.Store(true) // D2: first this, then that
	if e := s.event.Load(); e != nil {
		s.complete(*e)
	}
}

func (s *signal) complete(e taskgraph.Event) {
	if s.err == nil {
		e.Trigger()
		return
	}
	e.Fail(s.err)
	_ = e.Err() // nobody need look at it
}
