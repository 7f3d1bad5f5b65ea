package made

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// ID returns what a snapshot calls a task of a program.
func ID(task int) trace.ID { return trace.ID(task + 1) }

// Run runs a program on so many workers, as a task graph does: what is ready first is begun first,
// a body that waits runs what it waits for or gives its worker away, and a loop is shared with
// those that have nothing to do. It panics if the program does not end.
func Run(p *Program, workers int) *trace.Snapshot {
	e := &engine{p: p, tasks: make([]state, len(p.Tasks))}
	e.snap.Tasks = map[trace.ID]trace.Task{}
	for i := range workers {
		lane := e.lane(fmt.Sprintf("worker %d", i), trace.LaneWorker)
		e.slots = append(e.slots, &slot{lane: lane})
	}
	e.outside = e.lane("outside", trace.LaneOutside)
	e.begin()
	for e.step() {
	}
	for i := range e.tasks {
		if !e.tasks[i].done {
			panic(fmt.Sprintf("made: task %d of the program did not complete", i))
		}
	}
	return e.snapshot()
}

type engine struct {
	p       *Program
	snap    trace.Snapshot
	lanes   []*lane
	slots   []*slot
	outside *lane
	spares  []*lane
	threads map[string]*slot
	tasks   []state
	ready   []int   // tasks
	resumed []*body // bodies whose wait is over
	loops   []*loop
	now     time.Duration
	timers  []timer
	serial  int
}

type lane struct {
	index  int
	stack  []*body
	parked bool
}

type slot struct {
	lane   *lane
	busy   bool
	thread string
}

type state struct {
	launched, ready, begun, ended, done bool
	parent                              int
	round                               int
	after                               int
}

type body struct {
	task, round, pc int
	lane            *lane
	slot            *slot // nil while it sleeps in a wait
	mine            []int
	waits           []int
	waiting         bool
	own             *loop
}

type loop struct {
	task  int
	left  []time.Duration
	next  uint64
	going int
	lead  *body
	idle  bool // the lead waits for the others
}

type timer struct {
	at     time.Duration
	serial int
	f      func()
}

func (e *engine) lane(name string, kind trace.LaneKind) *lane {
	e.snap.Lanes = append(e.snap.Lanes, trace.Lane{Name: name, Kind: kind})
	e.lanes = append(e.lanes, &lane{index: len(e.lanes)})
	return e.lanes[len(e.lanes)-1]
}

func (e *engine) note(l *lane, k trace.Kind, task, other trace.ID, arg uint64) {
	events := &e.snap.Lanes[l.index].Events
	*events = append(*events, trace.Event{At: e.now, Kind: k, Task: task, Other: other, Arg: arg})
}

func (e *engine) after(d time.Duration, f func()) {
	e.serial++
	e.timers = append(e.timers, timer{e.now + d, e.serial, f})
}

func (e *engine) begin() {
	launched := map[int]bool{}
	e.threads = map[string]*slot{}
	for i := range e.p.Tasks {
		t := &e.p.Tasks[i]
		e.tasks[i].parent = -1
		if t.Thread != "" && e.threads[t.Thread] == nil {
			e.threads[t.Thread] = &slot{lane: e.lane("thread "+t.Thread, trace.LaneThread),
				thread: t.Thread}
		}
		for _, steps := range t.Rounds {
			for _, s := range steps {
				if s.Launch > 0 {
					launched[s.Launch-1] = true
				}
			}
		}
	}
	for i := range e.p.Tasks {
		if !launched[i] {
			e.launch(i, e.outside, -1)
		}
	}
	e.assign()
}

func (e *engine) launch(i int, l *lane, parent int) {
	s := &e.tasks[i]
	s.launched, s.parent = true, parent
	other := trace.ID(0)
	if parent >= 0 {
		other = ID(parent)
	}
	e.note(l, trace.Launch, ID(i), other, 0)
	for _, a := range e.p.Tasks[i].After {
		if !e.tasks[a].done {
			s.after++
		}
	}
	if s.after == 0 {
		e.makeReady(i, l, 0)
	}
}

func (e *engine) makeReady(i int, l *lane, last trace.ID) {
	e.tasks[i].ready = true
	e.note(l, trace.Ready, ID(i), last, 0)
	if len(e.p.Tasks[i].Rounds) == 0 {
		e.tasks[i].begun = true
		e.ended(i, l)
		return
	}
	e.ready = append(e.ready, i)
}

// ended completes a task unless something holds it.
func (e *engine) ended(i int, l *lane) {
	e.tasks[i].ended = true
	for _, h := range e.p.Tasks[i].Holds {
		if !e.tasks[h].done {
			return
		}
	}
	e.complete(i, l)
}

func (e *engine) complete(i int, l *lane) {
	failed := uint64(0)
	if e.p.Tasks[i].Failed {
		failed = 1
	}
	e.tasks[i].done = true
	e.note(l, trace.Done, ID(i), 0, failed)
	for j := range e.p.Tasks {
		t := &e.p.Tasks[j]
		if e.tasks[j].launched && !e.tasks[j].ready && slices.Contains(t.After, i) {
			for _, a := range t.After {
				if a == i {
					e.tasks[j].after--
				}
			}
			if e.tasks[j].after == 0 {
				e.makeReady(j, l, ID(i))
			}
		}
		if e.tasks[j].ended && !e.tasks[j].done && slices.Contains(t.Holds, i) {
			e.ended(j, l)
		}
	}
	for _, ln := range e.lanes {
		for _, b := range ln.stack {
			if b.waiting && b.slot == nil && e.over(b) && !slices.Contains(e.resumed, b) {
				e.resumed = append(e.resumed, b)
			}
		}
	}
}

// over reports whether nothing is left to wait for.
func (e *engine) over(b *body) bool {
	for _, w := range b.waits {
		if !e.tasks[w].done {
			return false
		}
	}
	return b.own == nil || b.own.going == 0 && len(b.own.left) == 0
}

// step goes to the next moment at which something happens.
func (e *engine) step() bool {
	if len(e.timers) == 0 {
		return false
	}
	next := slices.MinFunc(e.timers, func(a, b timer) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.serial, b.serial))
	})
	e.timers = slices.DeleteFunc(e.timers, func(t timer) bool { return t.serial == next.serial })
	e.now = next.at
	next.f()
	e.assign()
	return true
}

// assign gives each slot that is free something to do.
func (e *engine) assign() {
	for again := true; again; {
		again = false
		for _, s := range e.slots {
			again = !s.busy && e.find(s) || again
		}
		for _, name := range sorted(e.threads) {
			s := e.threads[name]
			again = !s.busy && e.findFor(s, name) || again
		}
	}
	for _, s := range e.slots {
		if !s.busy && s.lane != nil && !s.lane.parked {
			s.lane.parked = true
			e.note(s.lane, trace.Park, 0, 0, 0)
		}
	}
}

func sorted(m map[string]*slot) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (e *engine) find(s *slot) bool {
	for n, b := range e.resumed {
		if e.p.Tasks[b.task].Thread == "" {
			e.resumed = slices.Delete(e.resumed, n, n+1)
			e.release(s)
			s.lane = b.lane
			b.slot, s.busy = s, true
			e.goOn(b)
			return true
		}
	}
	for _, i := range e.ready {
		if e.p.Tasks[i].Thread == "" {
			e.start(s, i)
			return true
		}
	}
	for _, l := range e.loops {
		if len(l.left) > 0 {
			e.wake(s)
			s.busy = true
			e.takeRange(l, s, nil)
			return true
		}
	}
	return false
}

func (e *engine) findFor(s *slot, thread string) bool {
	for n, b := range e.resumed {
		if e.p.Tasks[b.task].Thread == thread {
			e.resumed = slices.Delete(e.resumed, n, n+1)
			b.slot, s.busy = s, true
			e.goOn(b)
			return true
		}
	}
	for _, i := range e.ready {
		if e.p.Tasks[i].Thread == thread && mayNest(s.lane, i) {
			e.start(s, i)
			return true
		}
	}
	return false
}

// mayNest reports whether a thread may begin a task: while a body of it waits, only what it waits
// for.
func mayNest(l *lane, i int) bool {
	n := len(l.stack)
	return n == 0 || slices.Contains(l.stack[n-1].waits, i)
}

// wake has a slot ready to run: if it has left its lane to a body that sleeps in a wait, it gets
// another one.
func (e *engine) wake(s *slot) {
	if s.lane == nil {
		if len(e.spares) == 0 {
			e.spares = append(e.spares,
				e.lane(fmt.Sprintf("spare %d", len(e.lanes)), trace.LaneSpare))
		}
		s.lane = e.spares[len(e.spares)-1]
		e.spares = e.spares[:len(e.spares)-1]
	}
	if s.lane.parked {
		s.lane.parked = false
		e.note(s.lane, trace.ParkEnd, 0, 0, 0)
	}
}

// giveAway takes the slot of a body that waits.
func (e *engine) giveAway(b *body) {
	b.slot.busy = false
	if b.slot.thread == "" {
		b.slot.lane = nil
	}
	b.slot = nil
}

// release gives back the lane of a slot.
func (e *engine) release(s *slot) {
	if s.lane == nil {
		return
	}
	if s.lane.parked {
		s.lane.parked = false
		e.note(s.lane, trace.ParkEnd, 0, 0, 0)
	}
	e.spares = append(e.spares, s.lane)
}

func (e *engine) start(s *slot, i int) {
	e.ready = slices.DeleteFunc(e.ready, func(r int) bool { return r == i })
	e.wake(s)
	s.busy = true
	e.push(s, i)
}

func (e *engine) push(s *slot, i int) {
	e.tasks[i].begun = true
	b := &body{task: i, round: e.tasks[i].round, lane: s.lane, slot: s}
	s.lane.stack = append(s.lane.stack, b)
	e.note(s.lane, trace.Begin, ID(i), 0, uint64(b.round))
	e.goOn(b)
}
