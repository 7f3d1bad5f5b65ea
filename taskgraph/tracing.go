package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// What a recorder is told is in this file, and what it is told of graphs in tracinggraph.go.
// Elsewhere there are only calls of these functions, behind a look whether there is one.

func (s *System) startTrace() {
	if s.opts.Trace == nil {
		return
	}
	s.log = s.opts.Trace.Log()
	s.calls.Tag() // each call goes with the key by which it is recorded
	level := func(p uint8) string { return Priority(p).String() }
	must(s.log.Use(s.turns != nil, level),
		"Options.Trace is a Recorder that another system has been given")
}

func keyOf(e Event) flight.Key {
	if e.Store() == nil {
		return 0
	}
	return flight.NodeKey(e.Generation(), uint32(e.Node()))
}

// nodeKey returns the key of the task of n, to which that belongs.
func (s *System) nodeKey(n graphevent.Node) flight.Key { return keyOf(s.store.Event(n)) }

// key returns the key of the body of c.
func (c *Context) key() flight.Key {
	switch {
	case c.recorded != 0:
		return c.recorded
	case c.graph != nil:
		return flight.TaskKey(c.graph.recorded, c.node)
	}
	return keyOf(c.ev)
}

func (c *cold) traceName(f any) flight.Name {
	if c.special.Load() {
		if name := c.props.Load().recorded; name != 0 {
			return name
		}
	}
	return nameOfBody(f)
}

// takeLane gives r a lane, for as long as it lives.
func (r *runner) takeLane(kind trace.LaneKind, name string) {
	if g := r.sys.log; g != nil {
		r.lane = g.Take(uint8(kind), func(n uint64) string {
			if kind != trace.LaneSpare && r.kind != callerRunner {
				return name
			}
			return fmt.Sprintf("%s %d", name, n) // several have it
		})
	}
}

// hold makes r the holder of the slot that it has.
func (r *runner) hold() {
	o := ownerOf(r.Slot())
	r.o = o
	if o.lane != r.lane {
		o.lane = r.lane
		o.seenAs.Store(r.lane.Index())
	}
}

// takeFirstLane is takeLane for a runner that has been made for a slot.
func (r *runner) takeFirstLane(slot *kernel.Slot) {
	if r.sys.log == nil {
		return
	}
	if o := r.o; slot.Index() < r.sys.kern.Workers() && !o.manned {
		o.manned = true
		r.takeLane(trace.LaneWorker, slot.String())
	} else {
		r.takeLane(trace.LaneSpare, "spare")
	}
	r.hold()
}

func (r *runner) leaveLane() {
	if r.lane != nil {
		r.sys.log.Leave(r.lane)
		r.lane = nil
	}
}

// record has f write records for the holder of o, or for anybody else if o is nil.
func (s *System) record(o *owner, f func(l *flight.Lane)) {
	switch {
	case o == nil && s.log != nil:
		if l := s.log.Outside(); l != nil {
			f(l)
			s.log.Leave(l)
		}
	case o != nil && o.lane != nil:
		f(o.lane)
	}
}

func (s *System) traceLaunch(o *owner, c *Context, e Event, kind flight.Kind) {
	cold := s.colds.At(uint32(e.Node()))
	var parent flight.Key
	if c != nil {
		parent = c.key()
	}
	s.record(o, func(l *flight.Lane) {
		name := cold.traceName(cold.body).At(uint8(cold.priority(e)))
		l.Put2(kind, keyOf(e), uint64(name), uint64(parent))
	})
}

// traceKey records what is about a task or a call and no more.
func (s *System) traceKey(o *owner, k flight.Kind, key flight.Key) {
	s.record(o, func(l *flight.Lane) { l.Put(k, key) })
}

// ended is the kind of the record that something is over.
func ended(failed bool) flight.Kind {
	if failed {
		return flight.DoneFailed
	}
	return flight.Done
}

func (s *System) traceDone(o *owner, n graphevent.Node, failed bool) {
	s.traceKey(o, ended(failed), s.nodeKey(n))
}

func (s *System) traceAfter(o *owner, n graphevent.Node, events []Event) {
	s.record(o, func(l *flight.Lane) {
		for _, e := range events {
			if e.Store() == s.store {
				l.Put2(flight.After, s.nodeKey(n), 0, uint64(keyOf(e)))
			}
		}
	})
}

// traceBegin records that the body of c begins.
func (r *runner) traceBegin(c *Context, cold *cold, b Body) {
	round := uint64(0)
	if cold.special.Load() {
		round = cold.props.Load().rounds
	}
	if r.kind != workerRunner && r.kind != callerRunner {
		r.lane.Rest() // a thread may have slept since the body before
	}
	r.lane.Begin(keyOf(c.ev), cold.traceName(b.f), round)
}

// traceEnd records that it has ended. If it reports true, traceDone has to be called if that
// completes the task.
func (r *runner) traceEnd(c *Context, err error) (open bool) {
	k := flight.End
	switch {
	case err != nil:
		k = flight.EndFailed
	case r.sys.store.Reasons(c.ev) > 1:
		k, open = flight.EndOpen, true
	}
	r.lane.End(k, keyOf(c.ev))
	return open
}

// traceCallLaunch records that a call of a group is made, by the body of c or, if c is nil, from
// outside. It returns the key of the call, which goes with it, or 0.
func (s *System) traceCallLaunch(c *Context, f func()) flight.Key {
	if !s.log.On() {
		return 0
	}
	l, prio, parent := (*flight.Lane)(nil), PriorityNormal, flight.Key(0)
	if c != nil {
		l, prio, parent = c.r.lane, c.prio, c.key()
	} else if l = s.log.Outside(); l != nil {
		defer s.log.Leave(l)
	}
	if l == nil {
		return 0
	}
	key := l.NewCall()
	l.Put2(flight.LaunchNow, key, uint64(flight.NameOf(f, true).At(uint8(prio))), uint64(parent))
	return key
}

// traceCall records that a call begins, which has the key if it was launched, and is forked by the
// body of in if that is not nil; and so that the one before it on c, if there was one, ends.
func (r *runner) traceCall(c *Context, key flight.Key, name flight.Name, in *Context) {
	if r.lane.Off() {
		return
	}
	var parent flight.Key
	if in != nil {
		parent = in.key()
	}
	k := flight.BeginCall
	if c.traced {
		k = flight.NextCall
	}
	if key == 0 {
		key = r.lane.NewCall()
	}
	c.recorded, c.traced = key, true
	r.lane.Put2(k, key, uint64(name), uint64(parent))
}

func (c *Context) traceCallEnd(err error) {
	k := flight.End
	if err != nil {
		k = flight.EndFailed
	}
	c.r.lane.End(k, c.recorded)
	c.recorded, c.traced = 0, false
}

func (r *runner) traceHold(c *Context, events []Event) {
	for _, e := range events {
		if e.Store() == r.sys.store {
			r.lane.Put2(flight.Hold, c.key(), 0, uint64(keyOf(e)))
		}
	}
}

// A tracedWait is a wait of a body whose beginning was recorded.
type tracedWait struct {
	lane *flight.Lane
	key  flight.Key
}

// traceWait records that the body of c waits, for the one event if it is one.
func (r *runner) traceWait(c *Context, events []Event) tracedWait {
	var other flight.Key
	if len(events) == 1 && events[0].Store() == r.sys.store {
		other = keyOf(events[0])
	}
	w := tracedWait{r.lane, c.key()}
	w.lane.Rest()
	w.lane.Put2(flight.Wait, w.key, 0, uint64(other))
	return w
}

func (w tracedWait) end() {
	w.lane.Rest()
	w.lane.Put(flight.WaitEnd, w.key)
}

// traceSteal records that e, which the holder of slot has taken, was stolen, if it was.
func (r *runner) traceSteal(e entry.Entry, slot *kernel.Slot) {
	if v := slot.Victim(); v != nil {
		r.lane.Put2(flight.Steal, r.sys.keyOfEntry(e), 0, ownerOf(v).seenAs.Load())
	}
}

// onPark returns what records that the holder of a slot sleeps.
func (s *System) onPark() func(slot *kernel.Slot, asleep bool) {
	if s.log == nil {
		return nil
	}
	return func(slot *kernel.Slot, asleep bool) {
		l := ownerOf(slot).lane
		if l == nil {
			return
		}
		l.Rest()
		if asleep {
			l.Put(flight.Park, 0)
		} else {
			l.Put(flight.ParkEnd, flight.Key(slot.WokenAgo()))
		}
	}
}

// Mark records a moment of the body, on its lane: the label says what for, arg is the caller's. It
// does nothing without Options.Trace, and does not allocate.
func (c *Context) Mark(m trace.Label, arg uint64) {
	if l := c.r.lane; l != nil {
		l.Rest()
		l.Put2(flight.Mark, c.key(), uint64(m), arg)
	}
}
