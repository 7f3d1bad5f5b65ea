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
		runs: map[uint32]run{}, done: map[ID]bool{}, places: map[uint64]int{}}
	b.Snapshot = &Snapshot{Began: r.log.Began(), To: b.at(to), Tasks: map[ID]Task{}}
	readings := r.log.Read()
	slices.SortFunc(readings, func(x, y flight.Reading) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Index, y.Index))
	})
	n := 0 // lanes: all that are outside are one, the last
	for i := range readings {
		b.spread(&readings[i])
		b.learn(&readings[i])
		if i == 0 || LaneKind(readings[i].Kind) != LaneOutside ||
			LaneKind(readings[i-1].Kind) != LaneOutside {
			n++
		}
		b.places[readings[i].Index] = n - 1
	}
	lanes := make([]laneBuilder, n)
	for i := range readings {
		r := &readings[i]
		l := &lanes[b.places[r.Index]]
		l.Name, l.Kind = r.Name, LaneKind(r.Kind)
		if l.Kind == LaneOutside {
			l.Name = "outside"
		}
		b.lane(r, l)
	}
	for _, l := range lanes {
		b.Lanes = append(b.Lanes, l.Lane)
	}
	b.graphs()
	b.advance()
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

	places map[uint64]int // in Lanes, by the number of a lane
	last   ID
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
			next = min(es[i].Ticks, b.to) // what is written meanwhile pushes nothing out
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
			name := fmt.Sprintf("graph %d", e.Extra)
			b.runs[uint32(e.Other)] = run{id, b.log.GraphOf(e.Extra), name}
			b.note(id, func(t *Task) { t.Run, t.Graph = id, name })
		}
	}
}

func (b *builder) note(id ID, f func(t *Task)) {
	t := b.Tasks[id]
	f(&t)
	b.Tasks[id] = t
}

// lane makes a lane of a reading.
func (b *builder) lane(r *flight.Reading, l *laneBuilder) {
	for _, e := range r.Entries {
		at := b.at(e.Ticks)
		if r.Lost > 0 && len(l.Events) == 0 {
			b.From = max(b.From, at)
		}
		b.event(l, at, e)
	}
	l.stack = nil
	l.Lost += r.Lost
}

func (b *builder) event(l *laneBuilder, at time.Duration, e flight.Entry) {
	id := b.id(e.Key)
	switch e.Kind {
	case flight.Begin, flight.BeginCall, flight.NextCall:
		if e.Kind == flight.NextCall {
			b.next(l, at)
		}
		b.name(id, flight.Name(e.Extra))
		arg := e.Other
		if e.Kind != flight.Begin {
			arg = 0
			if parent := b.id(flight.Key(e.Other)); parent != 0 {
				b.note(id, func(t *Task) { t.Parent = parent })
			}
		}
		l.begin(at, Begin, id, 0, arg)
	case flight.BeginOf:
		l.begin(at, Begin, id, 0, 0)
	case flight.Next:
		b.next(l, at)
		l.begin(at, Begin, id, 0, 0)
	case flight.End, flight.EndOpen, flight.EndFailed:
		l.end(at, End, id, 0)
		if e.Kind != flight.EndOpen {
			b.finish(l, at, id, e.Kind == flight.EndFailed)
		}
	case flight.Launch, flight.LaunchNow:
		parent := b.id(flight.Key(e.Other))
		name := flight.Name(e.Extra)
		b.name(id, name)
		b.note(id, func(t *Task) {
			t.Parent = parent
			if prio, ok := name.Priority(); ok {
				t.Priority = b.log.Level(prio)
			}
		})
		l.add(at, Launch, id, parent, 0)
		if e.Kind == flight.LaunchNow {
			l.add(at, Ready, id, 0, 0)
		}
		l.launched, l.completed = id, 0
	case flight.Ready:
		if l.launched == id {
			l.completed = 0
		}
		l.add(at, Ready, id, l.completed, 0)
	case flight.Done, flight.DoneFailed:
		b.finish(l, at, id, e.Kind == flight.DoneFailed)
	case flight.After:
		other := b.id(flight.Key(e.Other))
		b.note(id, func(t *Task) {
			if !slices.Contains(t.After, other) {
				t.After = append(t.After, other)
			}
		})
	case flight.Hold:
		l.add(at, Hold, id, b.id(flight.Key(e.Other)), 0)
	case flight.Wait:
		l.begin(at, Wait, id, b.id(flight.Key(e.Other)), 0)
	case flight.WaitEnd:
		l.end(at, WaitEnd, id, 0)
	case flight.Range:
		b.name(id, flight.Name(e.Extra)) // of a helper, which has no other
		l.begin(at, Range, id, 0, e.Other)
	case flight.RangeEnd:
		l.end(at, RangeEnd, id, e.Other)
	case flight.Park:
		l.begin(at, Park, 0, 0, 0)
	case flight.ParkEnd:
		l.wake(at, time.Duration(e.Key))
		l.end(at, ParkEnd, 0, 0)
	case flight.Blocked:
		l.begin(at, Blocked, id, 0, 0)
	case flight.BlockedEnd:
		l.end(at, BlockedEnd, id, 0)
	case flight.Steal:
		if at, ok := b.places[e.Other]; ok {
			l.add(b.at(e.Ticks), Steal, id, 0, uint64(at))
		}
	case flight.Mark:
		l.add(at, Mark, id, b.label(e.Extra), e.Other)
	}
}

// next ends the innermost body.
func (b *builder) next(l *laneBuilder, at time.Duration) {
	if before, ok := l.innermost(Begin); ok {
		l.end(at, End, before, 0)
		b.finish(l, at, before, false)
	}
}

// label returns the ID of the label of a mark.
func (b *builder) label(n uint64) ID {
	id := b.id(flight.LabelKey(n))
	b.note(id, func(t *Task) { t.Name = b.log.MarkText(n) })
	return id
}

// finish notes that a task completes, once.
func (b *builder) finish(l *laneBuilder, at time.Duration, id ID, failed bool) {
	l.completed = id
	if b.done[id] {
		return
	}
	b.done[id] = true
	arg := uint64(0)
	if failed {
		arg = 1
	}
	l.add(at, Done, id, 0, arg)
}

func (b *builder) name(id ID, n flight.Name) {
	b.note(id, func(t *Task) {
		if t.Name == "" {
			t.Name = b.log.Text(n)
		}
	})
}

// advance moves the launch of a task, and that it is ready, to where its body began, if they are
// later: they are recorded when another worker may already have taken the task. One with several
// rounds is left alone, since it is ready again after it began.
func (b *builder) advance() {
	began, rounds := map[ID]time.Duration{}, map[ID]int{}
	for i := range b.Lanes {
		for _, e := range b.Lanes[i].Events {
			if e.Kind == Begin {
				began[e.Task] = e.At
				rounds[e.Task]++
			}
		}
	}
	for i := range b.Lanes {
		events := b.Lanes[i].Events
		for k := range events {
			e := &events[k]
			if (e.Kind == Launch || e.Kind == Ready) && rounds[e.Task] == 1 {
				e.At = min(e.At, began[e.Task])
			}
		}
	}
}

// order sorts each lane by time. Events at one time stay as they were written.
func (b *builder) order() {
	for i := range b.Lanes {
		slices.SortStableFunc(b.Lanes[i].Events, func(x, y Event) int {
			return cmp.Compare(x.At, y.At)
		})
	}
}
