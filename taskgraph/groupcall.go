package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// groupCalls are the records of calls of groups that wait to be run.
type groupCalls struct {
	table paged.Table[groupCall]
	free  lockfree.Stack[uint32]
	fresh atomics.Uint32
}

type groupCall struct {
	f func()
	g *Group
}

const (
	callBatch = 64            // free records go to and from a slot so many at a time
	callCache = 4 * callBatch // that a slot keeps at most
	maxCalls  = uint32(kernel.CallBit)
)

// newCall returns an entry for a call of f, by the holder of the slot of o or by somebody without.
func (s *System) newCall(o *owner, g *Group, f func()) graphevent.Node {
	var n uint32
	if o == nil {
		n = s.freshCall()
	} else {
		if len(o.calls) == 0 {
			s.moreCalls(o)
		}
		last := len(o.calls) - 1
		n = o.calls[last]
		o.calls = o.calls[:last]
	}
	k := s.calls.table.At(n)
	k.f, k.g = f, g
	return kernel.CallBit | graphevent.Node(n)
}

func (s *System) freshCall() uint32 {
	if n, ok := s.calls.free.Pop(); ok {
		return n
	}
	n := s.calls.fresh.Add(1) - 1
	if n >= maxCalls {
		panic("taskgraph: more than 2^28 calls of groups at a time")
	}
	s.calls.table.Grow(n)
	return n
}

func (s *System) moreCalls(o *owner) {
	for range callBatch {
		o.calls = append(o.calls, s.freshCall())
	}
}

// freeCall empties the record n and gives it back.
func (s *System) freeCall(o *owner, n uint32) {
	k := s.calls.table.At(n)
	k.f, k.g = nil, nil
	if o == nil {
		s.calls.free.Push(n)
		return
	}
	if len(o.calls) == callCache {
		for _, m := range o.calls[callCache-callBatch:] {
			s.calls.free.Push(m)
		}
		o.calls = o.calls[:callCache-callBatch]
	}
	o.calls = append(o.calls, n)
}

// goOutside queues a call by somebody who holds no slot: a body or not.
func (g *Group) goOutside(f func(), inside bool) {
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
		n, ok := r.sys.kern.PopCall(r.o.slot)
		if !ok {
			return false
		}
		if !r.runCalls(uint32(n), g) {
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
		k := s.calls.table.At(n)
		f, g := k.f, k.g
		if of != nil && g != of {
			s.kern.PutBack(o.slot, kernel.CallBit|graphevent.Node(n))
			same = false
			break
		}
		s.freeCall(o, n)
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
		m, ok := s.kern.PopCall(o.slot)
		if !ok {
			break
		}
		n = uint32(m)
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
	if n > 0 {
		g.calls.done(n)
	}
}
