package taskgraph

// gatesOf returns the shown gates of the task of e in their order, how many the task has passed,
// and whether it waits at one.
func (s *System) gatesOf(e Event) (gates []*gate, passed int, stands bool) {
	p := s.colds.At(uint32(e.Node())).props.Load()
	if p == nil || s.store.IsManual(e) {
		return nil, 0, false
	}
	g := p.passage.Load()
	if g == nil {
		return nil, 0, false
	}
	n := int(g.shown.n.Load())
	for i := range min(n, maxShownGates) {
		if x := g.shown.on[i].Load(); x != nil {
			gates = append(gates, x)
		}
	}
	closed := int(g.closed.Load() &^ (gateOver | gateBuilt))
	passed = max(0, n-closed)
	if e.IsComplete() {
		return nil, 0, false
	}
	return gates, passed, closed > 0
}
