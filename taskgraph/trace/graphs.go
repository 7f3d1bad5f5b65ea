package trace

import (
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// A place is where a task's event is.
type place struct {
	lane int
	at   time.Duration
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
	b.order()
	b.follow()
	begun, limit := map[ID]place{}, map[ID]time.Duration{}
	for i, l := range b.Lanes {
		for _, e := range l.Events {
			if e.Kind != Begin {
				continue
			}
			if _, again := begun[e.Task]; again {
				continue // a later round
			}
			begun[e.Task] = place{i, e.At}
			for _, p := range b.Tasks[e.Task].After {
				if t, ok := limit[p]; !ok || e.At < t {
					limit[p] = e.At
				}
			}
		}
	}
	done := b.limit(limit)
	for _, k := range keys {
		if _, _, ok := k.Task(); ok {
			b.ready(b.ids[k], begun, done)
		}
	}
}

// limit moves the ends of tasks to where what waited for them began, if they are later: the end of
// a task of a graph is recorded together with the beginning of the next one, when others may have
// begun already; and stamps that are shared are not exact. It returns when tasks were done.
func (b *builder) limit(to map[ID]time.Duration) map[ID]place {
	done, ended := map[ID]place{}, map[ID]time.Duration{}
	for _, kind := range [...]Kind{End, Done} { // no task is done before its body ended
		for i, l := range b.Lanes {
			last := time.Duration(0)
			for j := range l.Events {
				e := &l.Events[j]
				if e.Kind == kind {
					if t, ok := to[e.Task]; ok && t < e.At {
						e.At = min(e.At, max(t, last, ended[e.Task]))
					}
				}
				switch last = e.At; {
				case e.Kind == kind && kind == End:
					ended[e.Task] = e.At
				case e.Kind == kind:
					done[e.Task] = place{i, e.At}
				}
			}
		}
	}
	return done
}

// follow moves the begin of a body that has the time of the end before it, to when it became ready
// if that was later: between the two another lane may have made it so.
func (b *builder) follow() {
	ready, done, rounds := map[ID]time.Duration{}, map[ID]time.Duration{}, map[ID]int{}
	for _, l := range b.Lanes {
		for _, e := range l.Events {
			switch e.Kind {
			case Launch, Ready:
				ready[e.Task] = e.At
			case Done:
				done[e.Task] = e.At
			case Begin:
				rounds[e.Task]++
			}
		}
	}
	for _, l := range b.Lanes {
		for i := 1; i < len(l.Events); i++ {
			e, before := &l.Events[i], l.Events[i-1]
			if e.Kind != Begin || rounds[e.Task] > 1 || before.At != e.At ||
				before.Kind != End && before.Kind != Done {
				continue
			}
			from := ready[e.Task]
			for _, p := range b.Tasks[e.Task].After {
				from = max(from, done[p])
			}
			next := b.To
			if i+1 < len(l.Events) {
				next = l.Events[i+1].At
			}
			e.At = max(e.At, min(from, next))
		}
	}
}

// ready adds when a task of a graph became ready: when the last of those before it was done, or
// when the run began.
func (b *builder) ready(id ID, begun, done map[ID]place) {
	began, ok := begun[id]
	if !ok {
		return
	}
	t := b.Tasks[id]
	last, known := begun[t.Run]
	var other ID
	for _, p := range t.After {
		d, ok := done[p]
		if !ok {
			return
		}
		if other == 0 || d.at > last.at {
			other, last, known = p, d, true
		}
	}
	if known {
		l := &b.Lanes[last.lane]
		l.Events = append(l.Events, Event{At: min(last.at, began.at), Kind: Ready, Task: id,
			Other: other})
	}
}
