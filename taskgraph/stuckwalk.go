package taskgraph

import (
	"fmt"
	"strings"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A stuckWalk collects what is incomplete. It reads only atomic words, and data that was written
// before such a word led to it; it may miss what changes meanwhile.
type stuckWalk struct {
	*stuck.Survey
	s       *System
	about   bool                 // something will proceed: a wait is over, or it is being queued
	waits   map[*waits.Wait]bool // seen in bodies
	through map[*gate][]int32    // incomplete tasks of a gate
	holds   map[*gate][]int32    // tasks that have a place
	due     map[Event]int64      // of delays
	graphs  map[uint64]*Graph    // that run, by event
	bodies  map[Event]running    // that are watched
}

func (s *System) walk() *stuckWalk {
	w := &stuckWalk{
		Survey: stuck.NewSurvey(s.store), s: s, waits: map[*waits.Wait]bool{},
		through: map[*gate][]int32{}, holds: map[*gate][]int32{}, due: map[Event]int64{},
		graphs: map[uint64]*Graph{}, bodies: map[Event]running{},
	}
	s.inspecting.Add(1)
	defer s.inspecting.Add(-1)
	idle, stamp := s.kern.Quiet() // ST1
	for d := range s.delays.All {
		w.due[d.ev] = d.due
	}
	for g := range s.graphs.All {
		w.graphs[g.shown.Load()] = g
	}
	for _, b := range s.watchedBodies() {
		if b.call {
			continue
		}
		if b.Top {
			w.Body(b.GID, b.ev)
		}
		if old, ok := w.bodies[b.ev]; !ok || b.Began < old.Began {
			w.bodies[b.ev] = b
		}
	}
	for e := range s.store.Incomplete { // ST2
		w.Node(e)
	}
	for i := range w.Nodes {
		w.gates(int32(i))
	}
	for i := 0; i < len(w.Nodes); i++ { // ST3; more may come
		w.describe(int32(i))
	}
	w.goroutines()
	w.Beneath()
	again, now := s.kern.Quiet() // ST4
	w.Idle = idle && again && stamp == now
	return w
}

func (w *stuckWalk) gates(i int32) {
	gates, passed, _ := w.s.gatesOf(w.Nodes[i].Event)
	for k, g := range gates {
		w.through[g] = append(w.through[g], i)
		if k < passed {
			w.holds[g] = append(w.holds[g], i)
		}
	}
}

func (w *stuckWalk) describe(i int32) {
	s, e := w.s, w.Nodes[i].Event
	st := e.State()
	if st == graphevent.StateCompleted {
		w.Nodes[i].Alive, w.Nodes[i].State = true, st.String()
		return
	}
	n := &w.Nodes[i]
	n.Name, n.Site, n.State = s.reportName(e), s.siteOf(e), st.String()
	if w.graphs[refOf(e)] != nil {
		n.Stalled = "they are not run"
	}
	if s.store.IsManual(e) {
		w.event(i, st)
		return
	}
	switch st {
	case graphevent.StateHeld:
		n.Why = "it was never launched"
	case graphevent.StateWaiting:
		w.Prerequisites(i)
	case graphevent.StateReady:
		w.ready(i)
	default:
		w.executing(i)
	}
}

func (w *stuckWalk) event(i int32, st graphevent.State) {
	s, n := w.s, &w.Nodes[i]
	l := s.labelOf(n.Event)
	due, delayed := w.due[n.Event]
	b := s.cast.Load()
	switch {
	case b != nil && b.over == n.Event:
		n.Else = append(n.Else, b.Awaited()...)
		n.Runs, n.Alive = true, true
	case st != graphevent.StateUntriggered:
		w.Prerequisites(i)
	case delayed:
		n.Alive = true
		in := time.Duration(max(0, due-w.s.turns.Now()))
		n.Why = fmt.Sprintf("it is due in %v", stuck.Rounded(in))
	case l != nil && l.calls:
		n.Else = append(n.Else, "calls of the group")
		n.Runs, n.Alive = true, true
	case l != nil && l.loop:
		n.Why = "they have not"
	case l != nil && l.gate != nil && l.unit:
		w.place(i, l.gate)
	case l != nil && l.gate != nil:
		n.Out = append(n.Out, w.through[l.gate]...)
	default:
		n.Why = "nobody has triggered it"
	}
}

func (w *stuckWalk) ready(i int32) {
	s, n := w.s, &w.Nodes[i]
	c := s.colds.At(uint32(n.Event.Node()))
	gates, passed, stands := s.gatesOf(n.Event)
	th := c.boundTo()
	switch {
	case stands && passed < len(gates):
		w.place(i, gates[passed])
	case stands:
		n.Else = append(n.Else, "a place")
	case th != nil && s.owns(th):
		n.Why = fmt.Sprintf("thread %s does not run it", th.Name())
	default:
		n.Alive, w.about = true, true
	}
}

// place adds edges from node i to the holders of places in g.
func (w *stuckWalk) place(i int32, g *gate) {
	n := &w.Nodes[i]
	what := "a place in " + g.String()
	if g.sem != nil {
		what = "a unit of " + g.String()
	}
	holders := w.holds[g]
	n.Else = append(n.Else, what)
	if g.sem != nil && int64(len(holders)) < g.sem.taken.Load() {
		n.Why = "those who took them have not released any"
		return // units may belong to any goroutine
	}
	for _, h := range holders {
		if h != i {
			n.Out = append(n.Out, h)
		}
	}
	n.Any = true
}

func (w *stuckWalk) executing(i int32) {
	s, n := w.s, &w.Nodes[i]
	e := n.Event
	if body, watched := w.bodies[e]; watched {
		n.Age, n.GID = time.Duration(atomics.Now()-body.Began), body.GID
	}
	waits, about := 0, false
	for p := s.colds.At(uint32(e.Node())).waits.First(); p != nil && !e.IsComplete(); p = p.Next() {
		w.waits[p] = true
		if seen, ok := p.Look(s.store); ok {
			waits++
			about = !w.Waits(i, seen) || about
		}
	}
	n = &w.Nodes[i]
	g := w.graphs[refOf(e)]
	switch {
	case about:
		n.Alive, w.about, n.Out, n.Else = true, true, nil, nil
	case g != nil:
		w.run(i, g, waits)
	case waits == 0:
		w.Holds(i)
	}
}

func (w *stuckWalk) run(i int32, g *Graph, waits int) {
	n := &w.Nodes[i]
	left := g.tally.Left()
	n.Else = append([]string{fmt.Sprintf("%d of its %d tasks", left, g.Len())}, n.Else...)
	if name, plain := strings.CutPrefix(n.Name, "task "); plain && name[0] != '"' {
		n.Name = "graph " + name
	}
	n.Why = g.notRun()
	if waits == 0 {
		n.Runs, n.Alive = true, true
	}
}

// goroutines adds goroutines that wait outside of the bodies that the system knows.
func (w *stuckWalk) goroutines() {
	s, known := w.s, len(w.Nodes)
	for p := range s.waiters.All {
		if !w.waits[&p.Wait] {
			w.Goroutine("", &p.Wait)
		}
	}
	for t := range s.threadRunners {
		w.Goroutine("thread "+t.thread.Name(), &t.slotWait)
	}
	if b := s.bound; b != nil {
		if k := b.Waiting(); k > 0 {
			w.Waiting(fmt.Sprintf("%d launches", k), "there is no room under Options.MaxTasks")
		}
	}
	for i := known; i < len(w.Nodes); i++ {
		if w.Nodes[i].Name == "" { // an event that came meanwhile
			w.describe(int32(i))
		}
	}
}

// reportName is nameOf, with the body's function, if known, in place of a missing name.
func (s *System) reportName(e Event) string {
	name := s.nameOf(e)
	if name != e.String() || s.store.IsManual(e) {
		return name
	}
	name = fmt.Sprintf("task %d.%d", e.Node(), e.Generation())
	if s.abandoned.Load() {
		return name // an abandoned task's body may be dropped meanwhile
	}
	s.store.Inspect(e, func() {
		if b := bodyName(s.colds.At(uint32(e.Node())).body); b != "" {
			name += " of " + b
		}
	})
	return name
}

// Stuck returns what is incomplete, and why. Anybody may call it at any time; it takes no lock, and
// stops the program for a moment only for stacks, of bodies on a cycle and bodies that run for too
// long. It takes time and memory for each incomplete event.
func (s *System) Stuck() *StuckReport { return newStuckReport(s.walk().Report()) }
