package profile

import (
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/nest"
)

// A laneWalker turns one lane into strands. Each row of the lane has a stack of frames.
type laneWalker struct {
	b    *builder
	lane int32
	kind trace.LaneKind
	rows [][]frame

	last   time.Duration // up to which the time of the lane is accounted for
	freed  time.Duration // when the last body with nothing around it ended
	parked bool          // it has slept since
}

// A frame is a stretch: of a body or a range, the strand that runs is node, since some time.
type frame struct {
	kind    trace.Kind
	task    int32 // none if the report is not about it
	node    int32
	first   int32
	since   time.Duration
	begin   time.Duration
	time    time.Duration // how long it has computed, with its own ranges
	running bool
	body    int32 // of a body, its number
	scope   int32
	own     bool // a range in the body of its loop

	// The loop that is going on: the last strands of its ranges, and which elements they had.
	ranges []int32
	spans  []indices
}

type indices struct{ low, high uint64 }

func (w *laneWalker) op(op nest.Op) {
	w.account(op.At)
	for len(w.rows) <= op.Row {
		w.rows = append(w.rows, nil)
	}
	stack := &w.rows[op.Row]
	switch op.What {
	case nest.Open:
		w.open(stack, op)
	case nest.Close:
		w.close(stack, op)
	case nest.Point:
		w.point(stack, op)
	}
}

// account adds the time since the last event to what the lane was doing.
func (w *laneWalker) account(at time.Duration) {
	if d := at - w.last; d > 0 {
		w.b.account(w, d)
	}
	w.last = max(w.last, at)
}

// executing returns the frame of the body or range that a stack is in, or nil.
func executing(stack []frame) *frame {
	for n := len(stack) - 1; n >= 0; n-- {
		if stack[n].running {
			return &stack[n]
		}
		if stack[n].kind != trace.Blocked {
			break
		}
	}
	return nil
}

// pause ends the time of a strand, and resume begins it.
func (w *laneWalker) pause(f *frame, at time.Duration) {
	if f != nil && f.running {
		f.running = false
		if f.node >= 0 {
			if w.b.nodes[f.node].blocked {
				w.b.nodes[f.node].dur += at - f.since
				return
			}
			d := w.b.share.until(at) - w.b.share.until(f.since)
			w.b.nodes[f.node].dur += d
			f.time += d
		}
	}
}

func (w *laneWalker) resume(f *frame, at time.Duration) { f.since, f.running = at, true }

// next begins the next strand of a body or range: R1.
func (w *laneWalker) next(f *frame, at time.Duration) {
	if f.task == none {
		return
	}
	w.endLoop(f)
	n := w.b.strand(f.task, w.lane, at)
	w.b.edge(f.node, n)
	f.node = n
	w.main(f, at)
}

func (w *laneWalker) main(f *frame, at time.Duration) {
	if f.kind == trace.Begin && f.body >= 0 {
		b := &w.b.bodies[f.body]
		b.main = append(b.main, mainStrand{at, f.node})
	}
}

// cut ends a strand in a moment at which the body does something that others depend on.
func (w *laneWalker) cut(f *frame, at time.Duration) (before int32) {
	before = f.node
	w.pause(f, at)
	w.next(f, at)
	w.resume(f, at)
	if f.node >= 0 {
		w.b.nodes[f.node].blocked = w.b.nodes[before].blocked
	}
	return before
}

// endLoop has the strand after the last own range of a loop come after all of them: R5.
func (w *laneWalker) endLoop(f *frame) {
	if len(f.ranges) == 0 {
		return
	}
	for _, r := range f.ranges {
		w.b.edge(r, f.node)
	}
	f.ranges, f.spans = f.ranges[:0], f.spans[:0]
	w.main(f, w.b.nodes[f.node].at)
}

func (w *laneWalker) open(stack *[]frame, op nest.Op) {
	e := op.Event
	f := frame{kind: e.Kind, task: w.b.of(e.Task), node: none, first: none, body: none,
		scope: none, begin: op.At}
	outer := executing(*stack)
	switch e.Kind {
	case trace.Begin:
		w.pause(outer, op.At)
		if op.Cut {
			w.b.cuts++
		}
		w.beginBody(&f, *stack, op)
	case trace.Range:
		direct := len(*stack) > 0 && outer == &(*stack)[len(*stack)-1]
		w.beginRange(&f, outer, direct, op)
	case trace.Wait, trace.Park:
		w.pause(outer, op.At)
		if outer != nil {
			w.endLoop(outer)
		}
	case trace.Blocked:
		if outer != nil {
			w.cut(outer, op.At)
			if outer.node >= 0 {
				w.b.nodes[outer.node].blocked = true
			}
		}
	}
	*stack = append(*stack, f)
}

func (w *laneWalker) beginBody(f *frame, stack []frame, op nest.Op) {
	if f.task == none {
		w.resume(f, op.At)
		return
	}
	b := w.b
	f.node = b.strand(f.task, w.lane, op.At)
	f.first = f.node
	f.body = int32(len(b.bodies))
	outermost := len(stack) == 0 && w.kind != trace.LaneOutside
	b.bodies = append(b.bodies, body{task: f.task, lane: w.lane, begin: op.At, end: op.At,
		first: f.node, last: f.node, outermost: outermost, fresh: w.freed, parked: w.parked,
		ready: Unknown})
	b.tasks[f.task].bodies = append(b.tasks[f.task].bodies, f.body)
	f.scope = b.newScope()
	w.main(f, op.At)
	w.resume(f, op.At)
}

func (b *builder) newScope() int32 {
	b.scopes = append(b.scopes, nil)
	return int32(len(b.scopes) - 1)
}

// beginRange begins a range: of a loop of the body that it is in, or of one elsewhere.
func (w *laneWalker) beginRange(f *frame, outer *frame, direct bool, op nest.Op) {
	w.pause(outer, op.At)
	w.resume(f, op.At)
	if f.task == none {
		return
	}
	f.node = w.b.strand(f.task, w.lane, op.At)
	f.first = f.node
	f.scope = w.b.newScope()
	if !direct || outer.task != f.task {
		return
	}
	f.own = true
	if outer.overlaps(op.Event.Arg) {
		w.endLoop(outer)
	}
	if len(outer.ranges) == 0 && outer.body >= 0 {
		b := &w.b.bodies[outer.body]
		b.loops = append(b.loops, loopStart{op.At, outer.node})
	}
	w.b.edge(outer.node, f.node)
}

// overlaps reports whether an element was in a range of the loop that is going on. Then this is the
// next loop.
func (f *frame) overlaps(i uint64) bool {
	n := f.place(i)
	return n > 0 && i < f.spans[n-1].high
}

// place returns how many spans begin at or before an element.
func (f *frame) place(i uint64) int {
	n, _ := slices.BinarySearchFunc(f.spans, i, func(s indices, i uint64) int {
		if s.low <= i {
			return -1
		}
		return 1
	})
	return n
}

func (w *laneWalker) close(stack *[]frame, op nest.Op) {
	n := len(*stack) - 1
	f := &(*stack)[n]
	w.pause(f, op.At)
	var outer *frame
	if n > 0 {
		outer = &(*stack)[n-1]
	}
	switch f.kind {
	case trace.Begin:
		w.endBody(f, op)
		if n == 0 {
			w.freed, w.parked = op.At, false
		}
	case trace.Range:
		w.endRange(f, outer, op)
	case trace.Wait:
		w.endWait(outer, op)
	case trace.Park:
		w.parked = true
	}
	*stack = (*stack)[:n]
	if outer == nil || outer.kind != trace.Begin && outer.kind != trace.Range {
		return
	}
	if f.kind == trace.Blocked {
		w.pause(outer, op.At)
		w.next(outer, op.At)
		if outer.node >= 0 {
			w.b.nodes[outer.node].resumes = true
		}
	}
	w.resume(outer, op.At)
}

func (w *laneWalker) endBody(f *frame, op nest.Op) {
	if op.Cut {
		w.b.cuts++
	}
	if f.task == none {
		return
	}
	w.endLoop(f)
	b := &w.b.bodies[f.body]
	b.end, b.last, b.time = op.At, f.node, b.time+f.time
}

func (w *laneWalker) endRange(f *frame, outer *frame, op nest.Op) {
	if f.task == none {
		return
	}
	w.endLoop(f)
	if !f.own {
		w.b.helpers = append(w.b.helpers,
			helper{f.task, f.begin, op.At, f.first, f.node, f.time})
		return
	}
	outer.time += f.time
	launched := w.b.scopes[f.scope]
	w.b.scopes[outer.scope] = append(w.b.scopes[outer.scope], launched.children()...)
	outer.ranges = append(outer.ranges, f.node)
	outer.span(indices{op.Opened.Arg, op.Opened.Arg + max(op.Event.Arg, 1)})
	after := w.b.strand(outer.task, w.lane, op.At)
	w.b.edge(outer.node, after)
	outer.node = after
}

// children returns what was launched in a scope.
func (s scope) children() scope {
	return slices.DeleteFunc(slices.Clone(s), func(op scopeOp) bool { return op.child == none })
}

// span notes which elements a range had, together with the range before it if it goes on there.
func (f *frame) span(i indices) {
	n := f.place(i.low)
	if n > 0 && f.spans[n-1].high == i.low {
		f.spans[n-1].high = i.high
		return
	}
	f.spans = slices.Insert(f.spans, n, i)
}

// endWait begins the strand after a wait: R4.
func (w *laneWalker) endWait(outer *frame, op nest.Op) {
	other := w.b.of(op.Opened.Other)
	if outer == nil || outer.task == none || outer.node < 0 {
		if outer == nil && other != none {
			w.b.outside = append(w.b.outside, outsideOp{op.At, w.lane, other, true})
		}
		return
	}
	w.next(outer, op.At)
	w.b.nodes[outer.node].resumes = true
	if other == none && op.Opened.Other != 0 || other == outer.task {
		return // for what the report is not about, or for the ranges of a loop
	}
	scope := &w.b.scopes[outer.scope]
	*scope = append(*scope, scopeOp{op.At, none, outer.node, other})
}

func (w *laneWalker) point(stack *[]frame, op nest.Op) {
	e := op.Event
	t := w.b.of(e.Task)
	if t == none {
		return
	}
	f := executing(*stack)
	if f != nil && w.kind == trace.LaneOutside && f.task != w.b.of(e.Other) {
		f = nil
	}
	switch e.Kind {
	case trace.Launch:
		w.launch(f, op, t)
	case trace.Done:
		if f != nil && f.node >= 0 && !w.b.tasks[t].hasBody && f.task != t {
			w.b.edge(w.cut(f, op.At), complete(t))
		}
	case trace.Ready:
		w.b.readies = append(w.b.readies, moment{op.At, t, w.b.of(e.Other)})
	case trace.Hold:
		w.b.tasks[t].held = true
		w.b.holds = append(w.b.holds, moment{op.At, t, w.b.of(e.Other)})
	}
}

// launch ends the strand that has launched t: R2.
func (w *laneWalker) launch(f *frame, op nest.Op, t int32) {
	by := op.Event.Other
	parent := w.b.of(by)
	mine := f != nil && f.node >= 0 && (parent == f.task || by == 0 && w.kind != trace.LaneOutside)
	switch {
	case mine:
		w.b.edge(w.cut(f, op.At), start(t))
		scope := &w.b.scopes[f.scope]
		*scope = append(*scope, scopeOp{op.At, t, none, none})
	case parent != none:
		w.b.edge(start(parent), start(t))
	case by == 0 && w.b.run == 0:
		w.b.tasks[t].root = true
		w.b.outside = append(w.b.outside, outsideOp{op.At, w.lane, t, false})
	}
}
