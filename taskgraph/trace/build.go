package trace

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// Snapshot returns what the recorder holds, while it goes on. It allocates as much as that is.
func (r *Recorder) Snapshot() *Snapshot {
	to, scale := r.log.Now()
	b := builder{log: r.log, to: to, scale: scale, ids: map[flight.Key]ID{},
		runs: map[uint32]run{}, done: map[ID]bool{}}
	b.Snapshot = &Snapshot{Began: r.log.Began(), To: b.at(to), Tasks: map[ID]Task{}}
	readings := r.log.Read()
	slices.SortFunc(readings, func(x, y flight.Reading) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Index, y.Index))
	})
	for i := range readings {
		b.spread(&readings[i])
		b.learn(&readings[i])
	}
	for i := range readings {
		b.lane(&readings[i])
	}
	b.graphs()
	b.order()
	return b.Snapshot
}

// A builder makes a snapshot of readings.
type builder struct {
	*Snapshot
	log   *flight.Log
	to    int64 // in ticks
	scale float64
	ids   map[flight.Key]ID
	runs  map[uint32]run
	done  map[ID]bool
	last  ID
}

// A run is a run of a graph.
type run struct {
	id    ID
	graph *flight.Graph
	name  string
}

func (b *builder) at(ticks int64) time.Duration {
	return time.Duration(float64(ticks) * b.scale)
}

// id returns the ID of what has a key.
func (b *builder) id(k flight.Key) ID {
	if k == 0 {
		return 0
	}
	id, ok := b.ids[k]
	if ok {
		return id
	}
	b.last++
	id = b.last
	b.ids[k] = id
	var t Task
	if n, i, ok := k.Task(); ok {
		r := b.runs[n]
		t.Run, t.Graph, t.Parent = r.id, r.name, r.id
		t.Name = fmt.Sprintf("task %d", i)
		if g := r.graph; g != nil && int(i) < len(g.Names) {
			t.Name = b.log.Text(g.Names[i])
			if g.Texts != nil && g.Texts[i] != "" {
				t.Name = g.Texts[i]
			}
		}
	}
	b.Tasks[id] = t
	return id
}

// spread gives entries that share a time times of their own, between that and the next.
func (b *builder) spread(r *flight.Reading) {
	es := r.Entries
	for i := 0; i < len(es); i++ {
		if !es[i].Shared {
			continue
		}
		first := i
		for i < len(es) && es[i].Shared {
			i++
		}
		next := b.to
		if i < len(es) {
			next = es[i].Ticks
		}
		n := int64(i - first + 1)
		for j := first; j < i; j++ {
			if span := next - es[j].Ticks; i < len(es) && span > 0 {
				es[j].Ticks += span * int64(j-first+1) / n
			}
		}
	}
	for i, e := range es {
		if e.Ticks > b.to {
			r.Entries = es[:i] // it happened after the snapshot began
			break
		}
	}
}

// learn notes what tasks are called and belong to.
func (b *builder) learn(r *flight.Reading) {
	for _, e := range r.Entries {
		if e.Kind == flight.Run {
			id := b.id(e.Key)
			b.runs[uint32(e.Other)] = run{id, b.log.GraphOf(e.Extra), fmt.Sprintf("graph %d", e.Extra)}
			t := b.Tasks[id]
			t.Run, t.Graph = id, fmt.Sprintf("graph %d", e.Extra)
			b.Tasks[id] = t
		}
	}
}

func (b *builder) note(id ID, f func(t *Task)) {
	t := b.Tasks[id]
	f(&t)
	b.Tasks[id] = t
}

// A frame is a body, a wait, a range or a sleep that goes on.
type frame struct {
	kind flight.Kind
	id   ID
}

// lane makes a lane of a reading.
func (b *builder) lane(r *flight.Reading) {
	kind := LaneKind(r.Kind)
	l := Lane{Name: r.Name, Kind: kind, Lost: r.Lost}
	var stack []frame
	for _, e := range r.Entries {
		at := b.at(e.Ticks)
		if l.Lost > 0 && len(l.Events) == 0 {
			b.From = max(b.From, at)
		}
		b.event(&l, &stack, at, e)
	}
	if kind == LaneOutside {
		if n := len(b.Lanes); n > 0 && b.Lanes[n-1].Kind == LaneOutside {
			b.Lanes[n-1].Events = append(b.Lanes[n-1].Events, l.Events...)
			b.Lanes[n-1].Lost += l.Lost
			return
		}
		l.Name = "outside"
	}
	b.Lanes = append(b.Lanes, l)
}

func (b *builder) event(l *Lane, stack *[]frame, at time.Duration, e flight.Entry) {
	id := b.id(e.Key)
	add := func(k Kind, other ID, arg uint64) {
		l.Events = append(l.Events, Event{At: at, Kind: k, Task: id, Other: other, Arg: arg})
	}
	push := func() { *stack = append(*stack, frame{e.Kind, id}) }
	// pop ends what began last, which must be of one of the kinds: else its beginning is lost.
	pop := func(kinds ...flight.Kind) bool {
		n := len(*stack)
		if n == 0 || !slices.Contains(kinds, (*stack)[n-1].kind) {
			return false
		}
		if kinds[0] == flight.Next || (*stack)[n-1].id == id || e.Key == 0 {
			id = (*stack)[n-1].id
			*stack = (*stack)[:n-1]
			return true
		}
		return false
	}
	switch e.Kind {
	case flight.Begin:
		b.note(id, func(t *Task) { b.name(t, flight.Name(e.Extra)) })
		push()
		add(Begin, 0, e.Other)
	case flight.BeginOf:
		push()
		add(Begin, 0, 0)
	case flight.Next:
		next := id
		if pop(flight.Next, flight.BeginOf) {
			add(End, 0, 0)
			b.finish(l, at, id, 0, false)
		}
		id = next
		push()
		add(Begin, 0, 0)
	case flight.End, flight.EndOpen, flight.EndFailed:
		if !pop(flight.Begin, flight.BeginOf, flight.Next) {
			return
		}
		add(End, 0, 0)
		if e.Kind != flight.EndOpen {
			b.finish(l, at, id, 0, e.Kind == flight.EndFailed)
		}
	case flight.Launch, flight.LaunchNow:
		parent := b.id(flight.Key(e.Other))
		b.note(id, func(t *Task) {
			b.name(t, flight.Name(e.Extra))
			t.Parent = parent
		})
		add(Launch, parent, 0)
		if e.Kind == flight.LaunchNow {
			add(Ready, 0, 0)
		}
	case flight.Ready:
		add(Ready, b.id(flight.Key(e.Other)), 0)
	case flight.Done, flight.DoneFailed:
		b.finish(l, at, id, 0, e.Kind == flight.DoneFailed)
	case flight.After:
		other := b.id(flight.Key(e.Other))
		b.note(id, func(t *Task) {
			if !slices.Contains(t.After, other) {
				t.After = append(t.After, other)
			}
		})
	}
}

// finish notes that a task completes, once.
func (b *builder) finish(l *Lane, at time.Duration, id, other ID, failed bool) {
	if b.done[id] {
		return
	}
	b.done[id] = true
	e := Event{At: at, Kind: Done, Task: id, Other: other}
	if failed {
		e.Arg = 1
	}
	l.Events = append(l.Events, e)
}

func (b *builder) name(t *Task, n flight.Name) {
	if text := b.log.Text(n); t.Name == "" {
		t.Name = text
	}
}

// graphs adds what follows from the plans of graphs: what tasks have to wait for, and when they
// became ready.
func (b *builder) graphs() {
	keys := make([]flight.Key, 0, len(b.ids))
	for k := range b.ids {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		n, i, ok := k.Task()
		r := b.runs[n]
		if !ok || r.graph == nil || int(i) >= len(r.graph.After) {
			continue
		}
		after := make([]ID, len(r.graph.After[i]))
		for j, p := range r.graph.After[i] {
			after[j] = b.id(flight.TaskKey(n, p))
		}
		b.note(b.ids[k], func(t *Task) { t.After = after })
	}
}

// order sorts each lane by time, where events of one lane stay as they were.
func (b *builder) order() {
	for i := range b.Lanes {
		slices.SortStableFunc(b.Lanes[i].Events, func(x, y Event) int {
			return cmp.Compare(x.At, y.At)
		})
	}
}
