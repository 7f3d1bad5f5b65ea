package taskgraph

import (
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// goOutside puts a call from outside into the open parcel or a new one, which it queues: G2.
func (g *Group) goOutside(f func(), key flight.Key) {
	s := g.sys
	if p := g.open.Load(); p != nil && !s.door.IsClosed() {
		switch p.Put(g, f, uint64(key)) {
		case bundles.PutDone:
			return
		case bundles.PutLate:
			g.goLate(p, f, key)
			return
		case bundles.PutClosed:
		}
	}
	p := s.calls.IdleParcel()
	if p == nil {
		g.goAlone(f, nil, key)
		return
	}
	if !s.enter(p.Number()) {
		s.calls.FreeParcel(p)
		g.refuse(key)
		return
	}
	g.calls.Add(bundles.ParcelSize) // whoever unpacks the parcel gives back the unused ones
	if g.isLate(bundles.ParcelSize, key) {
		s.calls.FreeParcel(p)
		return
	}
	p.Open(g, f, uint64(key))
	s.kern.Inject(entry.Of(entry.Parcel, p.Number()), kernel.Normal)
	g.open.Store(p) // after it is queued, since calls of others must not wait for us
}

// goLate queues a call that was counted in p but came too late for Close.
func (g *Group) goLate(p *parcel, f func(), key flight.Key) {
	s := g.sys
	if p.Leave(1) {
		s.calls.FreeParcel(p)
	}
	g.inject(s.calls.Lone(g, f, uint64(key), true), key, kernel.Normal)
}

// A parcel holds calls of one group from outside behind one entry, and counts as one launch until
// it is unpacked.
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
