package made

import (
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// goOn has a body do its steps, up to one that takes time.
func (e *engine) goOn(b *body) {
	if b.waiting {
		e.waitOver(b)
	}
	steps := e.p.Tasks[b.task].Rounds[b.round]
	for b.pc < len(steps) {
		s := steps[b.pc]
		b.pc++
		switch {
		case s.Work > 0:
			e.after(s.Work, func() { e.goOn(b) })
			return
		case s.Block > 0:
			e.note(b.lane, trace.Blocked, ID(b.task), 0, 0)
			e.after(s.Block, func() {
				e.note(b.lane, trace.BlockedEnd, ID(b.task), 0, 0)
				e.goOn(b)
			})
			return
		case s.Launch > 0:
			b.mine = append(b.mine, s.Launch-1)
			e.launch(s.Launch-1, b.lane, b.task)
		case s.Wait > 0:
			e.wait(b, []int{s.Wait - 1}, ID(s.Wait-1))
			return
		case s.All:
			e.wait(b, slices.Clone(b.mine), 0)
			return
		case len(s.Loop) > 0:
			b.own = &loop{task: b.task, left: s.Loop, lead: b}
			e.loops = append(e.loops, b.own)
			e.takeRange(b.own, b.slot, b)
			return
		}
	}
	e.end(b)
}

func (e *engine) wait(b *body, tasks []int, other trace.ID) {
	b.waits, b.waiting = tasks, true
	e.note(b.lane, trace.Wait, ID(b.task), other, 0)
	e.help(b)
}

// help runs what b waits for in its place, or gives its slot away.
func (e *engine) help(b *body) {
	if e.over(b) {
		e.goOn(b)
		return
	}
	thread := e.p.Tasks[b.task].Thread
	for _, w := range b.waits {
		if e.tasks[w].ready && !e.tasks[w].begun && e.p.Tasks[w].Thread == thread {
			s := b.slot
			e.ready = slices.DeleteFunc(e.ready, func(r int) bool { return r == w })
			e.push(s, w)
			return
		}
	}
	e.giveAway(b)
}

func (e *engine) waitOver(b *body) {
	b.waiting, b.waits, b.own = false, nil, nil
	e.note(b.lane, trace.WaitEnd, ID(b.task), 0, 0)
}

// takeRange runs the next range of a loop on a slot; lead is the body whose loop it is, or nil.
func (e *engine) takeRange(l *loop, s *slot, lead *body) {
	d := l.left[0]
	l.left = l.left[1:]
	l.going++
	ln := s.lane
	e.note(ln, trace.Range, ID(l.task), 0, l.next)
	l.next++
	e.after(d, func() { e.rangeDone(l, s, ln, lead) })
}

func (e *engine) rangeDone(l *loop, s *slot, ln *lane, lead *body) {
	l.going--
	e.note(ln, trace.RangeEnd, ID(l.task), 0, 1)
	if len(l.left) == 0 {
		e.loops = slices.DeleteFunc(e.loops, func(o *loop) bool { return o == l })
	}
	over := l.going == 0 && len(l.left) == 0
	switch {
	case len(l.left) > 0:
		e.takeRange(l, s, lead)
	case lead == nil:
		s.busy = false
		if over && l.idle {
			e.resumed = append(e.resumed, l.lead)
		}
	case over:
		lead.own = nil
		e.goOn(lead)
	default:
		l.idle = true
		lead.waiting = true
		e.note(lead.lane, trace.Wait, ID(lead.task), ID(lead.task), 0)
		e.giveAway(lead)
	}
}

// end ends a body, and goes on with the one that has run it in its place.
func (e *engine) end(b *body) {
	e.note(b.lane, trace.End, ID(b.task), 0, 0)
	b.lane.stack = b.lane.stack[:len(b.lane.stack)-1]
	s, i := b.slot, b.task
	if b.round+1 < len(e.p.Tasks[i].Rounds) {
		e.tasks[i].round++
		e.tasks[i].begun = false
		e.ready = append(e.ready, i)
		e.note(b.lane, trace.Ready, ID(i), 0, 0)
	} else {
		for _, h := range e.p.Tasks[i].Holds {
			e.note(b.lane, trace.Hold, ID(i), ID(h), 0)
		}
		e.ended(i, b.lane)
	}
	if n := len(b.lane.stack); n > 0 {
		outer := b.lane.stack[n-1]
		outer.slot = s
		e.resumed = slices.DeleteFunc(e.resumed, func(r *body) bool { return r == outer })
		e.help(outer)
		return
	}
	s.busy = false
}

// snapshot returns what was noted.
func (e *engine) snapshot() *trace.Snapshot {
	s := e.snap
	s.Began = time.Unix(0, 0).UTC()
	s.To = e.now
	for i := range e.p.Tasks {
		t := &e.p.Tasks[i]
		known := trace.Task{Name: t.Name, Graph: t.Graph, Priority: t.Priority}
		if p := e.tasks[i].parent; p >= 0 {
			known.Parent = ID(p)
		}
		if t.Run > 0 {
			known.Run = ID(t.Run - 1)
		}
		for _, a := range t.After {
			known.After = append(known.After, ID(a))
		}
		s.Tasks[ID(i)] = known
	}
	return &s
}
