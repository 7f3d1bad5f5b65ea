package taskgraph

import "fmt"

// A label is what a report calls an event by, and what the system knows about one that it made. It
// does not change; several events may have the same.
type label struct {
	name  string
	gate  *gate // of which it tells something, or nil
	unit  bool  // that somebody has got a unit; else, that it is idle
	calls bool  // that calls of a group have ended
	cast  bool  // that a broadcast is over
	loop  bool  // that the helpers of a loop have left
}

// Name gives e, which is no task, a name for reports, and returns e. It does nothing if e is
// complete or of another store. It allocates a few words. For tasks there is [Task.Name].
func (s *System) Name(e Event, name string) Event {
	s.label(e, &label{name: name})
	return e
}

func (s *System) label(e Event, l *label) {
	if e.Store() != s.store || e.IsComplete() {
		return
	}
	c := s.colds.At(uint32(e.Node()))
	if c.props.Load() == nil {
		c.props.CompareAndSwap(nil, new(props))
	}
	// Not special: the node may have another task by now, which this does not concern.
	p := c.props.Load()
	p.labeled.Store(0) // no generation has this number; see labelOf
	p.label.Store(l)
	p.labeled.Store(e.Generation())
}

// labelOf returns the label of e, or nil.
func (s *System) labelOf(e Event) *label {
	if c := s.colds.Get(uint32(e.Node())); c != nil {
		if c.loop.Load() == e.Generation() {
			return helpersHaveLeft
		}
		if p := c.props.Load(); p != nil {
			// If the number is still the same, so was the label all the time.
			gen := e.Generation()
			if p.labeled.Load() == gen {
				if l := p.label.Load(); p.labeled.Load() == gen {
					return l
				}
			}
		}
	}
	return nil
}

// nameOf returns the name of an event for reports. It must be incomplete or failed.
func (s *System) nameOf(e Event) string {
	if e.Store() != s.store {
		return e.String()
	}
	manual := s.store.IsManual(e)
	if l := s.labelOf(e); l != nil && l.name != "" {
		if manual {
			return fmt.Sprintf("event %q", l.name)
		}
		return fmt.Sprintf("task %q", l.name)
	}
	if c := s.colds.Get(uint32(e.Node())); c != nil && !manual {
		if p := c.props.Load(); p != nil {
			if name := p.name.Load(); name != nil {
				return fmt.Sprintf("task %q", *name)
			}
		}
	}
	return e.String()
}
