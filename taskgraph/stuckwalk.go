package taskgraph

import (
	"fmt"
	"strings"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A stuckNode is what a walk finds: an incomplete event or a goroutine that waits.
type stuckNode struct {
	ev    Event
	name  string
	state string
	site  string
	why   string   // a reason that is not another node
	else_ []string // awaited things that are not nodes
	out   []int32  // awaited nodes
	any   bool     // one of these suffices
	alive bool     // it makes progress by itself
	runs  bool     // its body runs
	age   time.Duration
	gid   uint64 // of the goroutine that waits in the body, or runs it
	about bool   // it will proceed: a wait is over, or it is being queued
}

// A stuckWalk collects what is incomplete. It reads only atomic words, and data that was written
// before such a word led to it; it may miss what changes meanwhile.
type stuckWalk struct {
	s       *System
	idle    bool
	nodes   []stuckNode
	index   map[Event]int32
	waits   map[*waits.Wait]bool   // seen in bodies
	through map[*gate][]int32      // incomplete tasks of a gate
	holds   map[*gate][]int32      // tasks that have a place
	due     map[Event]int64        // of delays
	graphs  map[uint64]*Graph      // that run, by event
	bodies  map[Event]running      // that are watched
	byGID   map[uint64]Event       // the last body on a goroutine
	beneath []struct{ a, b int32 } // the goroutine of body a runs b on top
	buf     []Event
}

func (s *System) walk() *stuckWalk {
	w := &stuckWalk{
		s: s, index: map[Event]int32{}, waits: map[*waits.Wait]bool{}, through: map[*gate][]int32{},
		holds: map[*gate][]int32{},
		due:   map[Event]int64{}, graphs: map[uint64]*Graph{}, bodies: map[Event]running{},
		byGID: map[uint64]Event{},
	}
	s.inspecting.Add(1)
	defer s.inspecting.Add(-1)
	idle, stamp := s.drained() // ST1
	for d := range s.delays.All {
		w.due[d.ev] = d.due
	}
	for g := range s.graphs {
		w.graphs[g.shown.Load()] = g
	}
	for _, b := range s.watchedBodies() {
		if b.call {
			continue
		}
		if b.Top {
			w.byGID[b.GID] = b.ev
		}
		if old, ok := w.bodies[b.ev]; !ok || b.Began < old.Began {
			w.bodies[b.ev] = b
		}
	}
	for e := range s.store.Incomplete { // ST2
		w.node(e)
	}
	for i := range w.nodes {
		w.gates(int32(i))
	}
	for i := 0; i < len(w.nodes); i++ { // ST3; more may come
		w.describe(int32(i))
	}
	w.goroutines()
	for _, p := range w.beneath {
		n := &w.nodes[p.a]
		n.out = append(n.out, p.b)
		n.alive, n.runs = false, false
	}
	again, now := s.drained() // ST4
	w.idle = idle && again && stamp == now
	return w
}

func (w *stuckWalk) node(e Event) int32 {
	i, ok := w.index[e]
	if !ok {
		i = int32(len(w.nodes))
		w.index[e] = i
		w.nodes = append(w.nodes, stuckNode{ev: e})
	}
	return i
}

func (w *stuckWalk) gates(i int32) {
	gates, passed, _ := w.s.gatesOf(w.nodes[i].ev)
	for k, g := range gates {
		w.through[g] = append(w.through[g], i)
		if k < passed {
			w.holds[g] = append(w.holds[g], i)
		}
	}
}

func (w *stuckWalk) wait(i int32, events ...Event) {
	for _, e := range events {
		to := w.node(e) // may move the nodes
		w.nodes[i].out = append(w.nodes[i].out, to)
	}
}

func (w *stuckWalk) describe(i int32) {
	s, e := w.s, w.nodes[i].ev
	st := e.State()
	if st == graphevent.StateCompleted {
		w.nodes[i].alive, w.nodes[i].state = true, st.String()
		return
	}
	n := &w.nodes[i]
	n.name, n.site, n.state = s.reportName(e), s.siteOf(e), st.String()
	if s.store.IsManual(e) {
		w.event(i, st)
		return
	}
	switch st {
	case graphevent.StateHeld:
		n.why = "it was never launched"
	case graphevent.StateWaiting:
		w.prerequisites(i)
	case graphevent.StateReady:
		w.ready(i)
	default:
		w.executing(i)
	}
}

func (w *stuckWalk) event(i int32, st graphevent.State) {
	s, n := w.s, &w.nodes[i]
	l := s.labelOf(n.ev)
	due, delayed := w.due[n.ev]
	b := s.cast.Load()
	switch {
	case b != nil && b.over == n.ev:
		n.else_ = append(n.else_, b.awaited()...)
		n.runs, n.alive = true, true
	case st != graphevent.StateUntriggered:
		w.prerequisites(i)
	case delayed:
		n.alive = true
		n.why = fmt.Sprintf("it is due in %v", roundAge(time.Duration(max(0, due-w.s.now()))))
	case l != nil && l.calls:
		n.else_ = append(n.else_, "calls of the group")
		n.runs, n.alive = true, true
	case l != nil && l.loop:
		n.why = "they have not"
	case l != nil && l.gate != nil && l.unit:
		w.place(i, l.gate)
	case l != nil && l.gate != nil:
		n.out = append(n.out, w.through[l.gate]...)
	default:
		n.why = "nobody has triggered it"
	}
}

func (w *stuckWalk) prerequisites(i int32) {
	s, e := w.s, w.nodes[i].ev
	w.buf = s.store.Prerequisites(e, w.buf[:0])
	alt := len(w.buf)
	w.buf = s.store.Alternatives(e, w.buf)
	w.wait(i, w.buf...)
	n := &w.nodes[i]
	n.any = alt < len(w.buf)
	if len(w.buf) == 0 {
		// The last of them has completed, and whoever did that has yet to make this one ready; or
		// it waits for another system: see ground.
		n.runs, n.alive = true, true
	}
}

func (w *stuckWalk) ready(i int32) {
	s, n := w.s, &w.nodes[i]
	c := s.colds.At(uint32(n.ev.Node()))
	gates, passed, stands := s.gatesOf(n.ev)
	th := c.boundTo()
	switch {
	case stands && passed < len(gates):
		w.place(i, gates[passed])
	case stands:
		n.else_ = append(n.else_, "a place")
	case th != nil && s.owns(th):
		n.why = fmt.Sprintf("thread %s does not run it", th.Name())
	default:
		n.alive, n.about = true, true
	}
}

// place adds edges from node i to the holders of places in g.
func (w *stuckWalk) place(i int32, g *gate) {
	n := &w.nodes[i]
	what := "a place in " + g.String()
	if g.sem != nil {
		what = "a unit of " + g.String()
	}
	holders := w.holds[g]
	n.else_ = append(n.else_, what)
	if g.sem != nil && int64(len(holders)) < g.sem.taken.Load() {
		n.why = "those who took them have not released any"
		return // units may belong to any goroutine
	}
	for _, h := range holders {
		if h != i {
			n.out = append(n.out, h)
		}
	}
	n.any = true
}

func (w *stuckWalk) executing(i int32) {
	s, n := w.s, &w.nodes[i]
	e := n.ev
	body, watched := w.bodies[e]
	if watched {
		n.age, n.gid = time.Duration(atomics.Now()-body.Began), body.GID
	}
	waits, about := 0, false
	for p := s.colds.At(uint32(e.Node())).waits.First(); p != nil && !e.IsComplete(); p = p.Next() {
		w.waits[p] = true
		seen, ok := p.Look(s.store)
		if !ok {
			continue
		}
		waits++
		if !w.waitsFor(i, seen) {
			about = true
		}
	}
	n = &w.nodes[i]
	g := w.graphs[refOf(e)]
	switch {
	case about:
		n.alive, n.about, n.out, n.else_ = true, true, nil, nil
	case g != nil:
		w.run(i, g, waits)
	case waits > 0:
	default:
		w.buf = s.store.Prerequisites(e, w.buf[:0])
		held := len(w.buf)
		w.wait(i, w.buf...)
		n = &w.nodes[i]
		if s.store.Reasons(e) > held {
			n.runs, n.alive = true, true // or another system holds it open: see settle
		}
	}
}

func (w *stuckWalk) run(i int32, g *Graph, waits int) {
	n := &w.nodes[i]
	left := g.tally.Left()
	n.else_ = append([]string{fmt.Sprintf("%d of its %d tasks", left, g.Len())}, n.else_...)
	if name, plain := strings.CutPrefix(n.name, "task "); plain && name[0] != '"' {
		n.name = "graph " + name
	}
	n.why = g.notRun()
	if waits == 0 {
		n.runs, n.alive = true, true
	}
}

// waitsFor adds the edges that a wait of node i shows, and reports false if the wait is over.
func (w *stuckWalk) waitsFor(i int32, seen waits.Seen) bool {
	over := !seen.Alien && seen.More == 0
	for _, e := range seen.Events {
		if !e.IsComplete() {
			over = false
			w.wait(i, e)
		}
	}
	n := &w.nodes[i]
	if seen.Alien {
		n.else_ = append(n.else_, anotherSystem)
	}
	if seen.More > 0 {
		n.else_ = append(n.else_, fmt.Sprintf("%d more", seen.More))
	}
	if seen.GID != 0 {
		n.gid = seen.GID
	}
	above := i
	for k := len(seen.Below) - 1; k >= 0; k-- {
		b := w.node(seen.Below[k])
		if b != above {
			w.beneath = append(w.beneath, struct{ a, b int32 }{b, above})
		}
		above = b
	}
	return !over
}

// goroutines adds goroutines that wait outside of the bodies that the system knows.
func (w *stuckWalk) goroutines() {
	s := w.s
	add := func(name string, p *waits.Wait) {
		seen, ok := p.Look(s.store)
		if !ok {
			return
		}
		if e, ok := w.byGID[seen.GID]; ok && seen.GID != 0 {
			if i, ok := w.index[e]; ok { // a body that does not wait through its Context
				w.nodes[i].alive, w.nodes[i].runs = false, false
				w.waitsFor(i, seen)
				return
			}
		}
		i := int32(len(w.nodes))
		w.nodes = append(w.nodes, stuckNode{name: name, state: graphevent.StateWaiting.String()})
		if !w.waitsFor(i, seen) {
			w.nodes[i].alive = true
		}
		if seen.GID != 0 && name == aGoroutine {
			w.nodes[i].name = fmt.Sprintf("goroutine %d", seen.GID)
		}
	}
	known := len(w.nodes)
	for p := s.waiting.Load(); p != nil; p = p.older {
		if !w.waits[&p.wait] {
			add(aGoroutine, &p.wait)
		}
	}
	for i := range s.threads {
		if t := s.threads[i].Load(); t != nil {
			add("thread "+t.thread.Name(), &t.slotWait)
		}
	}
	if b := s.bound; b != nil {
		if k := b.Waiting(); k > 0 {
			w.nodes = append(w.nodes,
				stuckNode{name: fmt.Sprintf("%d launches", k),
					state: graphevent.StateWaiting.String(),
					why:   "there is no room under Options.MaxTasks"})
		}
	}
	for i := known; i < len(w.nodes); i++ {
		if w.nodes[i].name == "" { // an event that came meanwhile
			w.describe(int32(i))
		}
	}
}

const aGoroutine = "a goroutine"

// reportName is nameOf, with the function of the body, if that is known, in place of a missing
// name.
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
