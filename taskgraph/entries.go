package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// This file says what kinds of entries mean: how what is behind one runs, ends and is called.

// take runs what e, which the slot has taken, stands for. It may return an entry to be run next.
func (r *runner) take(e entry.Entry, slot *kernel.Slot) (next entry.Entry, more bool) {
	kind := e.Kind()
	if kind == entry.GraphTask {
		return r.runGraph(e)
	}
	if o := r.o; o.graph != nil || o.group != nil && !kind.IsCalls() {
		r.flush()
		r.sys.kern.Announce(slot) // what the end of a run made ready is not what comes next
	}
	switch kind {
	case entry.Task, entry.Helper:
		if n := e.Node(); r.sys.store.Claim(n, &slot.Cache) { // B4
			r.execute(n)
		}
	case entry.Bundle, entry.Parcel:
		r.runEntry(e, nil)
	case entry.Fork:
		if k := r.sys.forks.At(e.Index()); r.takeFork(k) { // F4
			r.runFork(k)
		}
	case entry.Promotion:
		if e := r.sys.promoted.Take(e.Index()); r.claimEarly(e) {
			r.execute(e.Node())
		}
	}
	return 0, false
}

// describeEntry names what e stands for, which lies in a queue of level l.
func (s *System) describeEntry(e entry.Entry, l kernel.Level) string {
	var what string
	switch e.Kind() {
	case entry.Task, entry.Helper:
		what = s.nameOf(s.store.Event(e.Node()))
	case entry.GraphTask:
		g := s.graphOf(e)
		i, _ := g.taskOf(e)
		what = g.nameOf(i)
	case entry.Bundle, entry.Parcel:
		what = fmt.Sprintf("call %d of a group", e.Index())
	case entry.Fork:
		what = fmt.Sprintf("fork %d", e.Index())
	case entry.Promotion:
		what = "the promoted " + s.nameOf(s.promoted.Of(e.Index()))
	}
	if l != kernel.Normal {
		what += " (" + priorityOf(l).String() + ")"
	}
	return what
}

// keyOfEntry returns what a recorder calls what e stands for, or 0.
func (s *System) keyOfEntry(e entry.Entry) flight.Key {
	switch e.Kind() {
	case entry.Task, entry.Helper:
		return s.nodeKey(e.Node())
	case entry.GraphTask:
		if g := s.graphOf(e); g.recorded != 0 {
			i, _ := g.taskOf(e)
			return flight.TaskKey(g.recorded, i)
		}
	}
	return 0
}

func (s *System) nameOfBody(c *Context) string {
	switch {
	case c.graph != nil:
		return c.graph.nameOf(c.node)
	case c.fork != nil:
		return "a fork of " + s.nameOf(c.ev)
	case c.group != nil:
		return "a call of a group"
	}
	return s.nameOf(c.ev)
}

// finish ends the body of c, the last on the stack.
func (r *runner) finish(c *Context, err error) {
	if c.forks != nil {
		if err == nil {
			c.settle(nil)
		} else {
			c.drop()
		}
	}
	switch c.kind() {
	case entry.Fork:
		r.endFork(c, err)
		return
	case entry.GraphTask:
		c.graph.endNode(r, c, err)
		return
	case entry.Bundle:
		r.endCall(c, err)
		return
	}
	s, n, key, open := r.sys, c.ev.Node(), flight.Key(0), false
	if r.lane != nil {
		key, open = keyOf(c.ev), r.traceEnd(c, err)
	}
	if err != nil && s.opts.OnFailure != nil {
		s.onFailure(s.nameOf(c.ev), err)
	}
	r.pop(c)
	if o := r.o; o != nil {
		o.ran++
		if c.passage != nil {
			c.passage.by = o
			c.passage = nil
		}
	}
	if s.endBody(n, err, r.o) && open {
		r.lane.Put(flight.Done, key)
	}
}

func (r *runner) describe() string {
	var who string
	switch {
	case r.kind == namedThreadRunner:
		who = fmt.Sprintf("thread %q", r.named.thread.Name())
	case r.kind == ownThreadRunner:
		who = "the thread of a task"
	case r.kind == launcherRunner:
		who = "outside"
	case r.Runner != nil && r.Slot() != nil:
		who = fmt.Sprintf("worker %d", r.Slot().Index())
	default:
		who = "without a worker"
	}
	if r.depth > 0 {
		return who + " in " + r.sys.nameOfBody(r.frames[r.depth-1])
	}
	return who
}

// kind returns the kind of the entry that the body of c came by; of calls of a group, that of most.
func (c *Context) kind() entry.Kind {
	switch {
	case c.fork != nil:
		return entry.Fork
	case c.graph != nil:
		return entry.GraphTask
	case c.group != nil:
		return entry.Bundle
	}
	return entry.Task
}
