package nest

import (
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// Walk calls f with each Op of a lane, in order of time. Stretches and moments that lie outside the
// window are left out. It takes time in proportion to the number of events, and to the depth where
// ends were lost.
func Walk(l *trace.Lane, from, to time.Duration, f func(Op)) {
	w := walker{lane: l, from: from, to: max(from, to), f: f, now: from}
	w.match()
	w.replay()
}

// A key names a stack. There is one on most lanes; on the one of all goroutines from outside, who
// shares a stack is known by the task that the events are about.
type key struct{ task, other trace.ID }

type walker struct {
	lane     *trace.Lane
	from, to time.Duration
	f        func(Op)

	partner []int32 // of a closing event: which opened the stretch, or early
	ends    []time.Duration
	early   []int32 // closing events of stretches that began before the lane does

	rows   map[key]*row
	taken  []bool
	lowest int // no row below it is free
	serial row
	now    time.Duration
}

// A row is a stack of what is open.
type row struct {
	number int
	open   []opened
}

type opened struct {
	index int32 // of its event, or early
	event trace.Event
}

const early = -1

func (w *walker) key(e trace.Event) key {
	if w.lane.Kind != trace.LaneOutside {
		return key{}
	}
	if e.Task == 0 {
		return key{0, e.Other}
	}
	return key{e.Task, 0}
}

// match finds for each end the nearest beginning of the same kind and task that is open: what was
// opened later than that, and is still open, has lost its end.
func (w *walker) match() {
	events := w.lane.Events
	w.partner = make([]int32, len(events))
	w.ends = make([]time.Duration, len(events))
	stacks := map[key][]int32{}
	for i, e := range events {
		w.ends[i] = w.to
		switch {
		case Opens(e.Kind):
			k := w.key(e)
			stacks[k] = append(stacks[k], int32(i))
		case Closes(e.Kind):
			k := w.key(e)
			stack := stacks[k]
			at := len(stack) - 1
			for at >= 0 && !pair(events[stack[at]], e) {
				at--
			}
			if at < 0 {
				w.partner[i] = early
				w.early = append(w.early, int32(i))
				for _, lost := range stack {
					w.ends[lost] = e.At
				}
				stacks[k] = stack[:0]
				continue
			}
			for _, lost := range stack[at:] {
				w.ends[lost] = e.At
			}
			w.partner[i] = stack[at]
			stacks[k] = stack[:at]
		}
	}
}

func pair(open, end trace.Event) bool { return open.Kind+1 == end.Kind && open.Task == end.Task }

// replay yields what match has found. What ends early was opened first, and the last to end is the
// outermost.
func (w *walker) replay() {
	for i := len(w.early) - 1; i >= 0; i-- {
		end := w.lane.Events[w.early[i]]
		if end.At < w.from {
			continue
		}
		w.push(early, trace.Event{At: w.from, Kind: end.Kind - 1, Task: end.Task, Other: end.Other},
			true)
	}
	for i, e := range w.lane.Events {
		switch {
		case Opens(e.Kind):
			if w.ends[i] >= w.from && e.At <= w.to {
				w.push(int32(i), e, false)
			}
		case Closes(e.Kind):
			w.pop(i, e)
		case e.At >= w.from && e.At <= w.to:
			w.point(e)
		}
	}
	w.finish()
}

// move returns an event's time in the window, and not before that of the last Op.
func (w *walker) move(at time.Duration) time.Duration {
	w.now = max(w.now, min(max(at, w.from), w.to))
	return w.now
}

func (w *walker) row(k key) *row {
	if w.lane.Kind != trace.LaneOutside {
		return &w.serial
	}
	if r := w.rows[k]; r != nil {
		return r
	}
	free := w.free()
	w.lowest = free + 1
	if free == len(w.taken) {
		w.taken = append(w.taken, true)
	}
	w.taken[free] = true
	if w.rows == nil {
		w.rows = map[key]*row{}
	}
	r := &row{number: free}
	w.rows[k] = r
	return r
}

// free returns the lowest row that is free.
func (w *walker) free() int {
	free := w.lowest
	for free < len(w.taken) && w.taken[free] {
		free++
	}
	return free
}

func (w *walker) push(index int32, e trace.Event, cut bool) {
	r := w.row(w.key(e))
	cut = cut || e.At < w.from
	w.f(Op{What: Open, At: w.move(e.At), Event: e, Cut: cut, Row: r.number, Depth: len(r.open)})
	r.open = append(r.open, opened{index, e})
}

// pop ends the stretch that event i ends, after those inside it.
func (w *walker) pop(i int, e trace.Event) {
	k := w.key(e)
	r := &w.serial
	if w.lane.Kind == trace.LaneOutside {
		if r = w.rows[k]; r == nil {
			return
		}
	}
	partner := w.partner[i]
	at := len(r.open) - 1
	for at >= 0 && (r.open[at].index != partner || !pair(r.open[at].event, e)) {
		at--
	}
	if at < 0 {
		return
	}
	for len(r.open) > at+1 {
		w.cut(r, e.At)
	}
	w.close(r, e, e.At > w.to)
	w.release(k, r)
}

// cut ends the innermost stretch, whose end was lost.
func (w *walker) cut(r *row, at time.Duration) {
	o := r.open[len(r.open)-1].event
	w.close(r, trace.Event{At: at, Kind: o.Kind + 1, Task: o.Task, Other: o.Other}, true)
}

func (w *walker) close(r *row, e trace.Event, cut bool) {
	o := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	w.f(Op{What: Close, At: w.move(e.At), Event: e, Cut: cut, Opened: o.event, Row: r.number,
		Depth: len(r.open)})
}

func (w *walker) release(k key, r *row) {
	if w.lane.Kind == trace.LaneOutside && len(r.open) == 0 {
		w.taken[r.number] = false
		w.lowest = min(w.lowest, r.number)
		delete(w.rows, k)
	}
}

// point yields what happens in a moment. On the lane of all goroutines from outside, it is inside
// the body that did it, or else on a row that is free.
func (w *walker) point(e trace.Event) {
	r := &w.serial
	if w.lane.Kind == trace.LaneOutside {
		r = nil
		for _, k := range []key{{e.Other, 0}, {e.Task, 0}} {
			if open := w.rows[k]; open != nil && k.task != 0 {
				r = open
				break
			}
		}
		if r == nil {
			r = &row{number: w.free()}
		}
	}
	w.f(Op{What: Point, At: w.move(e.At), Event: e, Row: r.number, Depth: len(r.open)})
}

// finish ends what is still open.
func (w *walker) finish() {
	for len(w.serial.open) > 0 {
		w.cut(&w.serial, w.to)
	}
	rows := make([]*row, len(w.taken))
	for _, r := range w.rows {
		rows[r.number] = r
	}
	for _, r := range rows {
		for r != nil && len(r.open) > 0 {
			w.cut(r, w.to)
		}
	}
}
