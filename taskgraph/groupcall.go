package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// goAlone queues a single call, for the body of c or, if c is nil, from outside: G3.
func (g *Group) goAlone(f func(), c *Context, key flight.Key) {
	s, l := g.sys, kernel.Normal
	b := s.calls.Lone(g, f, uint64(key), false)
	switch {
	case c != nil && c.r.o != nil && c.prio == PriorityNormal: // in deterministic mode
		g.calls.Add(1)
		c.r.o.launched++
		s.kern.Spawn(c.r.o.slot, entryOf(b))
		return
	case c != nil:
		l = c.prio.level()
		s.enterInside()
	case !s.enter(b.Number()):
		s.calls.DropLone(b.Number())
		g.refuse(key)
		return
	}
	g.calls.Add(1)
	g.inject(b, key, l)
}

// inject queues b with one call, which has been counted, on level l.
func (g *Group) inject(b *bundle, key flight.Key, l kernel.Level) {
	if g.isLate(1, key) {
		g.sys.calls.DropLone(b.Number())
		return
	}
	g.sys.kern.Inject(entryOf(b), l)
}

// isLate reports whether the workers have ended: then it takes back what was counted for a call
// from outside, with so many places.
func (g *Group) isLate(places int64, key flight.Key) bool {
	s := g.sys
	if !s.stopped.Load() {
		return false
	}
	g.refuse(key)
	g.calls.done(s, places)
	s.finishOutside(1)
	return true
}

// refuse fails g for a call that does not run, since the system ends.
func (g *Group) refuse(key flight.Key) {
	if key != 0 {
		g.sys.traceKey(nil, flight.DoneFailed, key)
	}
	g.fail(graphevent.ErrClosed)
}

// nextCall takes the newest call in the holder's deque: if of is not nil, only one of that group.
func (r *runner) nextCall(of *Group) (f func(), key flight.Key, g *Group, ok bool) {
	k, o := r.sys.kern, r.o
	e, ok := k.Newest(o.slot)
	if !ok || !e.Kind().IsCalls() {
		return nil, 0, nil, false
	}
	b, g := r.groupOf(e)
	if of != nil && g != of {
		return nil, 0, nil, false
	}
	if b != nil {
		if f, tag, ok := o.bundles.Top(b); ok {
			return f, flight.Key(tag), g, true
		}
	}
	if _, ok = k.PopOwn(o.slot); !ok { // the same entry, if a thief has not taken it
		return nil, 0, nil, false
	}
	f, key = r.open(e, b, g)
	return f, key, g, true
}

// groupOf returns the group of the calls behind an entry, and the bundle if it is one. The result
// is valid only if the entry has been in the slot's deque all the time, or is popped.
func (r *runner) groupOf(e entry.Entry) (*bundle, *Group) {
	if e.Kind() == entry.Parcel {
		return nil, r.sys.calls.ParcelAt(e.Index()).Of()
	}
	b := r.o.bundles.At(e.Index())
	return b, b.Of()
}

// open takes a call of g out of b or of a parcel, whose entry e the slot has popped.
func (r *runner) open(e entry.Entry, b *bundle, g *Group) (f func(), key flight.Key) {
	if b != nil {
		return r.unbundle(b, g)
	}
	return r.unpack(r.sys.calls.ParcelAt(e.Index()), g)
}

// runEntry runs the calls behind e, which the slot has popped, and then others, like runCalls.
func (r *runner) runEntry(e entry.Entry, of *Group) {
	b, g := r.groupOf(e)
	f, key := r.open(e, b, g)
	r.runCalls(f, key, g, of)
}

// runCalls runs f, a call of g, and then the next calls in the slot's deque, until something else
// needs the slot. If of is not nil it runs only calls of that group.
func (r *runner) runCalls(f func(), key flight.Key, g, of *Group) {
	s, o := r.sys, r.o
	c := r.push(Event{})
	for left := r.inPlace(); ; left-- {
		r.endsOf(g)
		o.running = true
		c.group = g
		if r.lane != nil {
			r.traceCall(c, key, flight.NameOf(f, true), nil)
		}
		switch checks := s.checks.Load(); {
		case checks == 0:
			f()
		case checks&checkAbandoned != 0:
			g.fail(graphevent.ErrClosed)
		default:
			_ = r.callWatched(c, Body{f}, f)
		}
		o.ended++ // G5
		o.ran++
		o.finished++
		if left == 0 || s.kern.Asked(o.slot) {
			break
		}
		var ok bool
		if f, key, g, ok = r.nextCall(of); !ok {
			break
		}
	}
	if c.traced {
		c.traceCallEnd(nil)
	}
	r.pop(c)
	c.group = nil
}

// endsOf makes g the group for which the slot counts ended calls.
func (r *runner) endsOf(g *Group) {
	if r.o.group != g {
		r.flush()
		r.o.group = g
	}
}

// endCall ends the call of c, the last on the stack, which was cut off.
func (r *runner) endCall(c *Context, err error) {
	g, o := c.group, r.o
	if c.traced {
		c.traceCallEnd(err)
	}
	c.group = nil
	r.pop(c)
	g.fail(err)
	r.endsOf(g)
	o.ended++
	o.ran++
	o.finished++
}

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

// A parcel holds calls of a group from outside behind one entry. Unopened it counts as one launch.
type parcel = bundles.Parcel[Group, func()]

// unpack opens a parcel, whose entry the slot has popped (G4): it returns the first call, which is
// always there, and queues the others.
func (r *runner) unpack(p *parcel, g *Group) (f func(), key flight.Key) {
	o := r.o
	r.endsOf(g)
	p.WaitFor(&o.slot.Gathering)
	var buf [bundles.ParcelSize]uint8
	places, claimed := p.Close(buf[:0])
	o.unpacked += uint64(claimed) - 1
	o.ended += int64(bundles.ParcelSize - claimed)
	var fs [bundles.ParcelSize]func()
	for i, place := range places {
		var tag uint64
		fs[i], tag = p.Take(place)
		switch {
		case i == 0:
			key = flight.Key(tag)
		case o.tags != nil:
			o.tags[i-1] = tag
		}
	}
	if p.Leave(len(places)) {
		r.sys.calls.FreeParcel(p)
	}
	r.keepCalls(g, fs[1:len(places)])
	return fs[0], key
}
