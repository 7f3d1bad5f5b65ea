package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/forks"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// An owner is what the system keeps for each slot; only the holder uses it.
type owner struct {
	sys      *System
	slot     *kernel.Slot
	launched uint64 // from inside, not reported
	finished uint64 // completed, not reported
	unpacked uint64 // calls that came in parcels, less one for each parcel, not reported
	ran      uint64 // bodies run, not reported

	graph *Graph // the graph whose ended tasks the slot counts, and how many are not reported
	nodes int64

	forks forks.Stack[Context, Args]
	cells forks.Cells // see ForkOf

	group *Group // the group whose ended calls the slot counts, and how many are not reported
	ended int64

	inline []graphevent.Node // tasks to be run before any queued one

	lane   *flight.Lane   // of the holder, or nil
	seenAs atomics.Uint64 // the number of that lane, for thieves
	manned bool           // somebody has held the slot

	running bool // a body runs: inline tasks have to wait for its end

	tags    []uint64                       // room for those of calls, or nil: they have none
	bundles bundles.Bundles[Group, func()] // of calls by its bodies; others write its end

	_     cacheline.Pad
	total atomics.Uint64 // bodies run, reported
}

func ownerOf(slot *kernel.Slot) *owner { return slot.Owner.(*owner) }

func (s *System) newOwner(slot *kernel.Slot, thieves int) *owner {
	o := &owner{sys: s, slot: slot, forks: forks.NewStack[Context, Args](thieves)}
	o.bundles.Use(&s.calls)
	if s.log != nil {
		o.tags = make([]uint64, max(bundles.BundleSize, bundles.ParcelSize))
	}
	return o
}

// report publishes what the holder of slot counted.
func (s *System) report(slot *kernel.Slot) {
	s.adjust()
	o := ownerOf(slot)
	if live := o.launched + o.unpacked; o.finished != live {
		s.door.Report(int64(o.finished - live))
	}
	if o.launched != 0 {
		s.launches.Add(o.launched)
	}
	if o.finished != 0 {
		s.completed.Add(o.finished)
	}
	if o.ran != 0 {
		o.total.Add(o.ran)
	}
	o.launched, o.unpacked, o.finished, o.ran = 0, 0, 0, 0
}

// flush publishes what only the holder of the slot of r knows: its count for the run of a graph
// (GR5), its other counts, and its inline tasks.
func (r *runner) flush() {
	o := r.o
	if o == nil {
		return
	}
	if g, n := o.graph, o.nodes; g != nil {
		o.ran += uint64(n)
		o.graph, o.nodes = nil, 0
		if n > 0 && g.tally.Report(n) {
			g.end(o)
		}
	}
	if g, n := o.group, o.ended; g != nil {
		o.group, o.ended = nil, 0
		if n > 0 {
			g.calls.done(o.sys, n) // G6, and for the last one G7
		}
	}
	o.bundles.TakeBack()
	if !o.forks.IsEmpty() {
		o.publishAll()
	}
	if len(o.inline) > 0 { // last: the end of a graph may have made inline tasks ready
		o.unInline()
	}
}
