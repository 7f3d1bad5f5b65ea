package taskgraph

import "fmt"

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
	// cold.special is left alone: it may already concern another task on the node.
	p := c.props.Load()
	p.labeled.Store(0) // no generation has this number; see labelOf
	p.label.Store(l)
	p.labeled.Store(e.Generation())
}

func (s *System) labelOf(e Event) *label {
	if c := s.colds.Get(uint32(e.Node())); c != nil {
		if c.part.Load() == refOf(e) {
			return helpersHaveLeft
		}
		if p := c.props.Load(); p != nil {
			// If the number is unchanged, the label belongs to this generation.
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

// helpersHaveLeft labels, for reports, the event for which the caller of a loop waits at its end.
var helpersHaveLeft = &label{name: "helpers of a loop have left", loop: true}
