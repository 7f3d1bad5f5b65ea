package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// groupCalls are the records of calls of groups that wait to be run. Free ones go about in magazines:
// a slot holds two, so that it needs a full or an empty one only when it has used up both.
//
// Bonwick and Adams, "Magazines and Vmem", USENIX 2001.
type groupCalls struct {
	table   paged.Table[groupCall]
	fresh   atomics.Uint32
	full    lockfree.Stack[*magazine]
	empty   lockfree.Stack[*magazine]
	outside *lockfree.Ring[uint32] // free records, for those who hold no slot

	parcels     paged.Table[*parcel] // by number
	freshParcel atomics.Uint32
	freeParcels lockfree.Stack[*parcel]
}

type groupCall struct {
	f func()
	g *Group
}

// A magazine holds free records.
type magazine struct {
	n    int
	free [magazineSize]uint32
}

const (
	magazineSize = 64
	maxCalls     = uint32(inParcel)
)

// newCall returns an entry for a call of f, by the holder of the slot of o or by somebody without.
func (s *System) newCall(o *owner, g *Group, f func()) graphevent.Node {
	var n uint32
	if o == nil {
		n = s.outsideCall()
	} else {
		if o.calls == nil || o.calls.n == 0 {
			s.reload(o)
		}
		m := o.calls
		m.n--
		n = m.free[m.n]
	}
	k := s.calls.table.At(n)
	k.f, k.g = f, g
	return kernel.CallBit | graphevent.Node(n)
}

// reload gives the slot of o, which has used up a magazine, one with free records.
func (s *System) reload(o *owner) {
	used := o.calls
	o.calls, o.moreCalls = o.moreCalls, used
	if m := o.calls; m != nil && m.n > 0 {
		return
	}
	if used != nil {
		s.calls.empty.Push(used)
	}
	o.moreCalls = o.calls
	o.calls = s.calls.loaded()
}

// loaded returns a magazine with free records.
func (t *groupCalls) loaded() *magazine {
	if m, ok := t.full.Pop(); ok {
		return m
	}
	n := t.fresh.Add(magazineSize) - magazineSize
	if n >= maxCalls {
		panic("taskgraph: more than 2^27 calls of groups at a time")
	}
	t.table.Grow(n) // its page has room for all of them
	m := t.unloaded()
	for i := range m.free {
		m.free[i] = n + uint32(len(m.free)-1-i)
	}
	m.n = len(m.free)
	return m
}

// unloaded returns an empty magazine.
func (t *groupCalls) unloaded() *magazine {
	if m, ok := t.empty.Pop(); ok {
		return m
	}
	return new(magazine)
}

// putAway takes a magazine back.
func (t *groupCalls) putAway(m *magazine) {
	if m.n > 0 {
		t.full.Push(m)
	} else {
		t.empty.Push(m)
	}
}

// outsideCall returns a free record to somebody who holds no slot.
func (s *System) outsideCall() uint32 {
	t := &s.calls
	n, ok := t.outside.TryPop()
	if !ok {
		m := t.loaded()
		m.n--
		n = m.free[m.n]
		kept := t.outside.TryPushN(m.free[:m.n])
		m.n = copy(m.free[:], m.free[kept:m.n]) // others had the same idea
		t.putAway(m)
	}
	return n
}

// freeCall empties the record n and gives it back.
func (s *System) freeCall(o *owner, n uint32) {
	t := &s.calls
	k := t.table.At(n)
	k.f, k.g = nil, nil
	if o == nil {
		m := t.unloaded()
		m.free[0], m.n = n, 1
		t.putAway(m)
		return
	}
	if o.calls == nil || o.calls.n == len(o.calls.free) {
		s.unload(o)
	}
	m := o.calls
	m.free[m.n] = n
	m.n++
}

// unload gives the slot of o, which has filled a magazine, one with room.
func (s *System) unload(o *owner) {
	filled := o.calls
	o.calls, o.moreCalls = o.moreCalls, filled
	if m := o.calls; m != nil && m.n < len(m.free) {
		return
	}
	if filled != nil {
		s.calls.full.Push(filled)
	}
	o.moreCalls = o.calls
	o.calls = s.calls.unloaded()
}

// goAlone queues a call by itself, by somebody who holds no slot: a body or not.
func (g *Group) goAlone(f func(), inside bool) {
	s := g.sys
	n := s.newCall(nil, g, f)
	switch {
	case inside:
		s.door.Report(-1)
		s.launches.Add(1)
	case !s.enter(n &^ kernel.CallBit):
		s.freeCall(nil, uint32(n&^kernel.CallBit))
		g.fail(graphevent.ErrClosed)
		return
	}
	g.calls.n.Add(1)
	g.inject(n)
}

// inject queues the call n, which has been counted.
func (g *Group) inject(n graphevent.Node) {
	s := g.sys
	if s.stopped.Load() {
		s.freeCall(nil, uint32(n&^kernel.CallBit))
		g.fail(graphevent.ErrClosed)
		g.calls.done(1)
		s.finishOutside(1)
		return
	}
	s.kern.Inject(n, kernel.Normal)
}

// helpGroup runs calls of g that lie where the holder of the slot looks first. It reports whether
// one panicked, so that there may be more.
func (r *runner) helpGroup(g *Group) (more bool) {
	defer r.rescue(r.depth, &more)
	for {
		n, ok := r.sys.kern.PopMarked(r.o.slot, kernel.CallBit)
		if !ok {
			return false
		}
		if !r.runCalls(uint32(n&^kernel.CallBit), g) {
			return false
		}
	}
}

// runCalls runs the call of the record n, and then others that come next in the slot's deque, for
// as long as nothing else asks for the slot. If of is not nil it runs calls of that group only, and
// reports false if it has come to another one.
func (r *runner) runCalls(n uint32, of *Group) bool {
	s, o := r.sys, r.o
	c := r.push(Event{})
	same := true
	for left := maxInPlace; ; left-- {
		var f func()
		var g *Group
		if n&inParcel != 0 {
			if n&isParcel != 0 {
				n = r.unpack(n)
			}
			p := o.parcelOf(s, n)
			if g = p.Of(); of == nil || g == of {
				f = p.Take(uint8(n % kernel.ParcelSize))
				o.taken++
			}
		} else {
			k := s.calls.table.At(n)
			if f, g = k.f, k.g; of == nil || g == of {
				s.freeCall(o, n)
			}
		}
		if of != nil && g != of {
			s.kern.PutBack(o.slot, kernel.CallBit|graphevent.Node(n))
			same = false
			break
		}
		if o.group != g {
			r.flush()
			o.group = g
		}
		o.running = true
		c.group = g
		switch mind := s.mind.Load(); {
		case mind == 0:
			f()
		case mind&mindAbandoned != 0:
			g.fail(graphevent.ErrClosed)
		default:
			_ = r.callWatched(c, Body{f})
		}
		o.ended++
		o.ran++
		o.finished++
		if left == 0 || s.kern.Asked(o.slot) {
			break
		}
		m, ok := s.kern.PopMarked(o.slot, kernel.CallBit)
		if !ok {
			break
		}
		n = uint32(m &^ kernel.CallBit)
	}
	r.pop(c)
	c.group = nil
	o.running = r.depth > 0
	return same
}

// endCall ends the call of c, the last on the stack, which was cut off.
func (r *runner) endCall(c *Context, err error) {
	g, o := c.group, r.o
	c.group = nil
	r.pop(c)
	o.running = r.depth > 0
	g.fail(err)
	if o.group != g {
		r.flush()
		o.group = g
	}
	o.ended++
	o.ran++
	o.finished++
}

// flushCalls reports the calls that the slot has ended.
func (o *owner) flushCalls() {
	g, n := o.group, o.ended
	o.group, o.ended = nil, 0
	o.leaveParcel()
	if n > 0 {
		g.calls.done(n)
	}
}
