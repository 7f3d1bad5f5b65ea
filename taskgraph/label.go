package taskgraph

import "fmt"

// Name gives e, which is no task, a name for reports, and returns e. It does nothing if e is
// complete or of another store. It allocates a few words. For tasks there is [Task.Name].
func (s *System) Name(e Event, name string) Event {
	s.label(e, &label{name: name})
	return e
}

func (s *System) label(e Event, l *label) {
	if e.Store() == s.store && !e.IsComplete() {
		s.labels.Put(uint32(e.Node()), refOf(e), l)
	}
}

func (s *System) labelOf(e Event) *label {
	n, ref := uint32(e.Node()), refOf(e)
	if c := s.colds.Get(n); c != nil && c.part.Load() == ref {
		return helpersHaveLeft
	}
	return s.labels.Of(n, ref)
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
	if name := s.colds.Get(uint32(e.Node())).name(); name != nil && !manual {
		return fmt.Sprintf("task %q", *name)
	}
	return e.String()
}

// name returns the name that the task of c was given, or nil. c may be nil.
func (c *cold) name() *string {
	if c == nil || c.props.Load() == nil {
		return nil
	}
	return c.props.Load().name.Load()
}

// helpersHaveLeft labels, for reports, the event for which the caller of a loop waits at its end.
var helpersHaveLeft = &label{name: "helpers of a loop have left", loop: true}
