package taskgraph

import "context"

// helpOutside has a goroutine from outside take part in the runs of graphs that it waits for, as [System.RunGraph] does, and
// reports whether they are complete. What a wait runs is nothing that its goroutine has called: an aside runs it.
func (s *System) helpOutside(ctx context.Context, events []Event) (done bool) {
	if !s.spin || s.canEnd(ctx) || !s.awaitsLaunched(events) {
		return false
	}
	r := s.join()
	if r == nil {
		return false
	}
	defer r.part()
	r.linger.begin()
	r.helpAside(events, nil, nil)
	r.flush()
	return complete(events)
}
