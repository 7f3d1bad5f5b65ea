package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/internal/atomics"
)

// maxShownGates is how many gates of one task a report knows.
const maxShownGates = 4

// A shownGates says for reports which gates a task goes through. It repeats passage.holds, which
// only a goroutine that has the task to itself may read. The builder writes it.
type shownGates struct {
	n  atomics.Uint32
	on [maxShownGates]atomics.Pointer[gate]
}

func (h *shownGates) show(holds []hold) {
	for i := range min(len(holds), maxShownGates) {
		h.on[i].Store(holds[i].g)
	}
	h.n.Store(uint32(len(holds)))
}

func (h *shownGates) clear(n int) {
	h.n.Store(0)
	for i := range min(n, maxShownGates) {
		h.on[i].Store(nil)
	}
}

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

// String names the gate for reports.
func (g *gate) String() string { return fmt.Sprintf("%s %d", g.kind, g.number) }
