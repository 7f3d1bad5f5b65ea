package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// take runs what e stands for, which the slot has taken out of a queue. It may return another
// entry, to be run next on the same slot.
func (r *runner) take(e entry.Entry, slot *kernel.Slot) (next entry.Entry, more bool) {
	kind := e.Kind()
	if kind == entry.GraphTask {
		return r.runGraph(e.Index())
	}
	if o := r.o; o.graph != nil || o.group != nil && !kind.IsCalls() {
		r.flush()
		r.sys.kern.Announce(slot) // what the end of a run made ready is not what comes next
	}
	switch kind {
	case entry.Task:
		if n := e.Node(); r.sys.store.Claim(n, &slot.Cache) { // B4
			r.execute(n)
		}
	case entry.Bundle, entry.Parcel:
		r.runEntry(e, nil)
	case entry.Fork:
		r.stolen(e.Index())
	case entry.Promotion:
		r.runPromoted(e.Index())
	}
	return 0, false
}

// describeEntry names what e stands for, which lies in a queue of level l.
func (s *System) describeEntry(e entry.Entry, l kernel.Level) string {
	var what string
	switch e.Kind() {
	case entry.Task:
		what = s.nameOf(s.store.Event(e.Node()))
	case entry.GraphTask:
		g := s.graphOf(e.Index())
		what = g.nameOf(e.Index() - g.base)
	case entry.Bundle, entry.Parcel:
		what = fmt.Sprintf("call %d of a group", e.Index())
	case entry.Fork:
		what = fmt.Sprintf("fork %d", e.Index())
	case entry.Promotion:
		what = "the promoted " + s.nameOf(s.promoted.Of(e.Index()))
	}
	if l != kernel.Normal {
		what += " (" + levelNames[l] + ")"
	}
	return what
}
