package graphevent

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// A Node is the place of one event in its [Store]: what a scheduler queues, claims and
// completes. A Node is recycled after its event completed; an [Event] is for ever.
//
// The methods of Store that take a Node are for the scheduler that acquired it and check
// nothing that its own protocol already ensures.
type Node uint32

// MaxEdges is how many prerequisites an event can have, how many events can hold it open at a time,
// and how many one call of [Store.All] or [Store.Notify] can be given.
const MaxEdges = 1<<22 - 1

// inlineEdges is how many prerequisites a node can have before edges spill to the slab.
const inlineEdges = 4

// A node is one cache line without pointers, so the collector never looks at it.
type node struct {
	// head is the list of subsequents, and decides completion. An event is incomplete while its
	// generation is the present one of head and open. Success opens the next generation; failure
	// closes this one. Both take the whole list in the same atomic step.
	head lockfree.ClosableHead

	// ctl is the state of execution:
	//
	//	63        32 31  24 23   0
	//	[generation][flags][count]
	//
	// Until claimed, count is the number of prerequisites that have not completed, plus
	// setUpLock while the node is being built. From the claim on it is the number of
	// reasons not to complete: one for the body and one for each DontCompleteUntil.
	ctl atomics.Uint64

	// The node's own edges, one for each prerequisite (and later each DontCompleteUntil).
	// next links edge i into the list of the event it depends on: written before the push
	// that publishes it, read by the completer that took the list. back[i] names that
	// event, for waiters that walk from an event to what it waits for.
	next [inlineEdges]uint32
	back [inlineEdges]atomics.Uint64
}

const (
	genShift = 32 // of ctl, and of a reference

	countMask = 1<<24 - 1
	setUpLock = 1 << 23
	maxEdges  = MaxEdges // a count above it means that the set-up lock is held

	// abandonLock is added by Abandon and never removed. No other claimed node has that many
	// reasons, and together with the set-up lock it still fits into the count.
	abandonLock = 3 << 21

	// The flags of ctl.
	running = 1 << 24 // claimed: the body runs or has run
	queued  = 1 << 25 // a queue holds, or will hold, an entry for this node
	notify  = 1 << 26 // not a task: calls a function when ready; with running, a manual event
	failed  = 1 << 27 // a prerequisite, the body or a DontCompleteUntil failed
	always  = 1 << 28 // runs even if a prerequisite failed
	free    = 1 << 29 // complete; whoever pops the queue entry recycles the node
	manual  = 1 << 30 // a manual event that was not triggered yet
	pinned  = 1 << 31 // belongs to one thread: only that thread may claim it early

	lastGen = 1<<32 - 1 // a node that reaches it is retired

	// choice, with manual or without: a manual event that completes with the first of some others.
	// It is claimed from the beginning, so always has no other meaning for it.
	choice = running | notify | always
)

// abandoned reports whether a node was completed by Abandon. Its edges may still be registered, so
// its links are not free and it is never recycled.
func abandoned(v uint64) bool { return v&running != 0 && v&countMask >= abandonLock }

func ref(gen uint64, n Node) uint64 { return gen<<genShift | uint64(n) }

// Links. A link of head names an edge: inline edge i of node n is n<<2|i; an edge in the
// slab is its index with slabLink set; 0 ends a list.
const slabLink = 1 << 30

// A slabEdge is an edge that did not fit into its node, or a subsequent that is not a node of the
// store.
type slabEdge struct {
	next  uint32 // as node.next
	owner uint32 // the node, or the token
	kind  edgeKind
	// own links the slab edges of one node; the list starts in back[3], marked spilled.
	own  atomics.Uint32
	back atomics.Uint64 // as node.back; of a choiceEdge, the event that is decided
}

// An edgeKind says what the release of a slab edge means.
type edgeKind uint8

const (
	ownerEdge  edgeKind = iota // the edge is taken off the owner
	tokenEdge                  // the Releaser receives the owner
	choiceEdge                 // it decides an event of Any; in no node's own list
)

// spilled in back[3] marks a list of slab edges; no reference looks like it, because a
// reference holds a generation in these bits and generation 0 is never used.
const spilled = 1 << 31

func (s *Store) at(n Node) *node { return s.nodes.At(uint32(n)) }

// generation returns the generation of the event that the node is, or will be next.
func (nd *node) generation() uint64 {
	gen, _ := nd.head.State()
	return uint64(gen)
}

func (s *Store) nextOf(link uint32) *uint32 {
	if link&slabLink != 0 {
		return &s.slab.At(link &^ slabLink).next
	}
	return &s.nodes.At(link >> 2).next[link&3]
}
