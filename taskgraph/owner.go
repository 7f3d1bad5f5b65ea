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
