package taskgraph

import (
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// A bundle holds calls of one group behind one entry.
type bundle = bundles.Bundle[Group, func()]

func entryOf(b *bundle) entry.Entry { return entry.Of(entry.Bundle, b.Number()) }

// goInside queues a call of the body on the slot of o, in a new bundle that stays open: G1.
func (g *Group) goInside(o *owner, f func(), key flight.Key) {
	b := o.bundles.Open(g, f, uint64(key))
	g.calls.Add(bundles.BundleSize) // whoever takes the last call gives back the unused ones
	o.launched++
	g.sys.kern.Spawn(o.slot, entryOf(b))
}

// unbundle takes a call out of b, whose entry the slot has popped, and queues the others again: G4.
func (r *runner) unbundle(b *bundle, g *Group) (f func(), key flight.Key) {
	o := r.o
	r.endsOf(g)
	var buf [bundles.BundleSize]func()
	f, tag, rest, more, unused := o.bundles.Take(b, buf[:], o.tags)
	if more {
		r.sys.kern.PutBack(o.slot, entryOf(b))
		return f, flight.Key(tag)
	}
	o.ended += int64(unused)
	r.keepCalls(g, rest)
	return f, flight.Key(tag)
}

// keepCalls queues calls of g, whose tags are the slot's if there are any, so that the first runs
// first and a thief takes half of them.
func (r *runner) keepCalls(g *Group, fs []func()) {
	if len(fs) == 0 {
		return
	}
	var entries [2]entry.Entry
	e := entries[:0]
	half := (len(fs) + 1) / 2
	for _, part := range [...][2]int{{half, len(fs)}, {0, half}} {
		if from, to := part[0], part[1]; from < to {
			var tags []uint64
			if r.o.tags != nil {
				tags = r.o.tags[from:to]
			}
			e = append(e, entryOf(r.o.bundles.Fill(g, fs[from:to], tags)))
		}
	}
	r.sys.kern.PushAll(r.o.slot, e)
}
