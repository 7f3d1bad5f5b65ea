package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A parcel holds calls of one group from outside. It is one entry, and counts as one launch until it is unpacked.
type parcel struct {
	kernel.Parcel[Group, func()]
	number uint32
}

// Among the entries for calls, these bits mark what is in a parcel, or a whole one that is not unpacked; below them are the
// number of the parcel and that of the place.
const (
	inParcel   uint32 = 1 << 27
	isParcel   uint32 = 1 << 26
	maxParcels        = isParcel / kernel.ParcelSize
)

// idleParcel returns a parcel that nobody uses, or nil if there are too many.
func (t *groupCalls) idleParcel() *parcel {
	if p, ok := t.freeParcels.Pop(); ok {
		return p
	}
	n := t.freshParcel.Add(1) - 1
	if n >= maxParcels {
		t.freshParcel.Add(^uint32(0))
		return nil
	}
	p := &parcel{number: n}
	*t.parcels.Grow(n) = p
	return p
}

func (t *groupCalls) freeParcel(p *parcel) {
	p.Forget()
	t.freeParcels.Push(p)
}

// goOutside queues a parcel with a call by somebody outside.
func (g *Group) goOutside(f func()) {
	s := g.sys
	p := s.calls.idleParcel()
	if p == nil {
		g.goAlone(f, false)
		return
	}
	if !s.enter(graphevent.Node(p.number)) {
		s.calls.freeParcel(p)
		g.fail(graphevent.ErrClosed)
		return
	}
	g.calls.n.Add(kernel.ParcelSize) // those that are not made are given back by whoever unpacks it
	if s.stopped.Load() {
		s.calls.freeParcel(p)
		g.fail(graphevent.ErrClosed)
		g.calls.done(kernel.ParcelSize)
		s.finishOutside(1)
		return
	}
	p.Open(g, f)
	s.kern.Inject(kernel.CallBit|graphevent.Node(inParcel|isParcel|p.number*kernel.ParcelSize), kernel.Normal)
	g.open.Store(p) // now that it is queued: what others put in must not wait for us
}

// goLate queues a call that was counted in p, but came too late.
func (g *Group) goLate(p *parcel, f func()) {
	s := g.sys
	if p.Leave(1) {
		s.calls.freeParcel(p)
	}
	g.inject(s.newCall(nil, g, f))
}

// unpack opens a parcel: the first call, which is there always, is returned; the others go into the slot's deque.
func (r *runner) unpack(n uint32) (first uint32) {
	s, o := r.sys, r.o
	n &^= isParcel
	p := o.parcelOf(s, n)
	g := p.Of()
	if o.group != g {
		r.flush()
		o.group = g
	}
	p.WaitFor(o.slot)
	var buf [kernel.ParcelSize]uint8
	places, claimed := p.Close(buf[:0])
	o.unpacked += uint64(claimed) - 1
	o.ended += int64(kernel.ParcelSize - claimed)
	if len(places) > 1 {
		var entries [kernel.ParcelSize]graphevent.Node
		e := entries[:len(places)-1]
		for i, place := range places[1:] {
			e[len(e)-1-i] = kernel.CallBit | graphevent.Node(n|uint32(place))
		}
		s.kern.PushAll(o.slot, e)
	}
	return n | uint32(places[0])
}

// parcelOf returns the parcel of an entry, from which the slot is about to take a call.
func (o *owner) parcelOf(s *System, n uint32) *parcel {
	number := n &^ (inParcel | isParcel) / kernel.ParcelSize
	if p := o.parcel; p != nil && p.number == number {
		return p
	}
	o.leaveParcel()
	o.parcel = *s.calls.parcels.At(number)
	return o.parcel
}

// leaveParcel reports the calls that the slot has taken out of a parcel.
func (o *owner) leaveParcel() {
	p, n := o.parcel, o.taken
	o.parcel, o.taken = nil, 0
	if n > 0 && p.Leave(n) {
		o.sys.calls.freeParcel(p)
	}
}
