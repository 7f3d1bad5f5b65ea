package stuck

import (
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A Survey collects what is incomplete in a system with a store, and what each waits for. Make one
// with NewSurvey. It belongs to one goroutine, and reads only atomic words.
type Survey struct {
	Nodes []Node
	Idle  bool // nothing has run or was queued while it was made

	store   *graphevent.Store
	index   map[graphevent.Event]int32
	bodies  map[uint64]graphevent.Event // the last body on a goroutine
	beneath []struct{ a, b int32 }      // the goroutine of body a runs b on top
	buf     []graphevent.Event
}

// NewSurvey returns a survey that has found nothing yet.
func NewSurvey(s *graphevent.Store) *Survey {
	return &Survey{store: s, index: map[graphevent.Event]int32{},
		bodies: map[uint64]graphevent.Event{}}
}

// Node returns the number of the node for e, which it adds if need be. It may move the others.
func (s *Survey) Node(e graphevent.Event) int32 {
	i, ok := s.index[e]
	if !ok {
		i = int32(len(s.Nodes))
		s.index[e] = i
		s.Nodes = append(s.Nodes, Node{Event: e})
	}
	return i
}

// Body says that the last body on the goroutine gid is that of e.
func (s *Survey) Body(gid uint64, e graphevent.Event) { s.bodies[gid] = e }

func (s *Survey) wait(i int32, events ...graphevent.Event) {
	for _, e := range events {
		to := s.Node(e)
		s.Nodes[i].Out = append(s.Nodes[i].Out, to)
	}
}

// Prerequisites adds what node i waits for in the store.
func (s *Survey) Prerequisites(i int32) {
	e := s.Nodes[i].Event
	s.buf = s.store.Prerequisites(e, s.buf[:0])
	alt := len(s.buf)
	s.buf = s.store.Alternatives(e, s.buf)
	s.wait(i, s.buf...)
	n := &s.Nodes[i]
	n.Any = alt < len(s.buf)
	if len(s.buf) == 0 {
		// The last of them has completed, and whoever did that has yet to make this one ready; or
		// it waits for another system: see ground.
		n.Runs, n.Alive = true, true
	}
}

// Holds adds what holds node i, which has begun, open.
func (s *Survey) Holds(i int32) {
	e := s.Nodes[i].Event
	s.buf = s.store.Prerequisites(e, s.buf[:0])
	held := len(s.buf)
	s.wait(i, s.buf...)
	if s.store.Reasons(e) > held {
		n := &s.Nodes[i]
		n.Runs, n.Alive = true, true // or another system holds it open: see ground
	}
}

// Waits adds what node i waits for by a wait that shows itself, and reports false if that is over.
func (s *Survey) Waits(i int32, seen waits.Seen) bool {
	over := !seen.Alien && seen.More == 0
	for _, e := range seen.Events {
		if !e.IsComplete() {
			over = false
			s.wait(i, e)
		}
	}
	n := &s.Nodes[i]
	if seen.Alien {
		n.Else = append(n.Else, AnotherSystem)
	}
	if seen.More > 0 {
		n.Else = append(n.Else, fmt.Sprintf("%d more", seen.More))
	}
	if seen.GID != 0 {
		n.GID = seen.GID
	}
	above := i
	for k := len(seen.Below) - 1; k >= 0; k-- {
		b := s.Node(seen.Below[k])
		if b != above {
			s.beneath = append(s.beneath, struct{ a, b int32 }{b, above})
		}
		above = b
	}
	return !over
}

// Goroutine adds a goroutine that waits, with a name that says so, or the wait to the body that it
// runs, which then waits without its Context. A name "" is that of any goroutine.
func (s *Survey) Goroutine(name string, p *waits.Wait) {
	seen, ok := p.Look(s.store)
	if !ok {
		return
	}
	if e, ok := s.bodies[seen.GID]; ok && seen.GID != 0 {
		if i, ok := s.index[e]; ok {
			s.Nodes[i].Alive, s.Nodes[i].Runs = false, false
			s.Waits(i, seen)
			return
		}
	}
	switch {
	case name != "":
	case seen.GID != 0:
		name = fmt.Sprintf("goroutine %d", seen.GID)
	default:
		name = "a goroutine"
	}
	i := s.Waiting(name, "")
	if !s.Waits(i, seen) {
		s.Nodes[i].Alive = true
	}
}

// Waiting adds something that waits and is no event, for a reason if that is not "".
func (s *Survey) Waiting(name, why string) int32 {
	s.Nodes = append(s.Nodes,
		Node{Name: name, State: graphevent.StateWaiting.String(), Why: why})
	return int32(len(s.Nodes) - 1)
}

// Beneath makes each body wait for those that its goroutine runs on top of it: SU1. All were found
// then.
func (s *Survey) Beneath() {
	for _, p := range s.beneath {
		n := &s.Nodes[p.a]
		n.Out = append(n.Out, p.b)
		n.Alive, n.Runs = false, false
	}
}
