package gates

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A Gate lets nodes through in the order in which they came, as long as it has places. A node that
// came through holds a place until somebody gives that place back.
//
// # Concurrency
//
// Every method may be called by any goroutine. What was done before a node entered, and before the
// place that it gets was given back, synchronizes before the return of the call that lets the node
// through.
//
// # Progress
//
// Every call takes a bounded number of steps besides those of the queue, and of the stack if places
// have numbers; both are lock-free. The caller has to let through the node that it is given: one
// that stalls holds up that node and its place, and one that stalls inside Enter holds up at most
// one node more.
//
// # Cost
//
// One atomic addition for each Enter and Leave, besides what the containers take.
type Gate struct {
	// The word decides, and each change of it moves one right to let a node through:
	//
	//	open > 0    open places are free, and no node waits
	//	open <= 0   no place is free, and -open nodes wait
	//
	//	G1 open is the number of places, less the nodes that entered and those who took a
	//	   place by TryTake, plus the places that were given back.
	//	G2 a node is in the queue before it is counted, and a number in the stack before its place
	//	   is. So whoever got a right finds a node, and a number in the stack or a fresh one: each
	//	   right takes one of each, and there are never more rights than counted nodes or counted
	//	   places.
	//	G3 a right comes from an Enter that lowered a positive word, or from a Leave that raised a
	//	   negative one: no place is free while a counted node waits.
	//
	// A right takes the first node of the queue, which need not be the one that was counted: it may
	// be a node that is about to be counted, whose own right then takes another. A node that finds
	// the queue empty and a place free skips the queue. A place may be free while the queue is not
	// empty, until the node that was taken early has been counted.
	open   atomics.Int64
	nodes  lockfree.Queue[entry.Entry]
	places *lockfree.Stack[uint32] // the numbers given back; nil if places have no numbers

	// fresh is the first number that nobody has had. It stays below the number of places: whoever
	// takes it has a right and has found the stack empty, so each lower number belongs, or is about
	// to belong, to the holder of another right.
	fresh atomics.Uint32
}

// New returns a Gate with n places; if numbered, they have the numbers 0 to n-1.
func New(n int, numbered bool) *Gate {
	g := new(Gate)
	if numbered {
		g.places = new(lockfree.Stack[uint32])
	}
	g.open.Store(int64(n))
	return g
}

// Enter brings a node. If ok, the caller lets m through, which holds the place; m may be another
// node that came first.
func (g *Gate) Enter(n entry.Entry) (m entry.Entry, place uint32, ok bool) {
	// A node must not overtake one in the queue, whose right may have gone to another.
	if g.nodes.Empty() {
		if place, ok = g.TryTake(); ok {
			return n, place, true
		}
	}
	g.nodes.Push(n)         // G5
	if g.open.Add(-1) < 0 { // G6, LP(Enter)
		return 0, 0, false
	}
	return g.right() // a place came back meanwhile
}

// Leave gives a place back. If ok, the caller lets m through, which holds the new place.
func (g *Gate) Leave(place uint32) (m entry.Entry, next uint32, ok bool) {
	if g.places != nil {
		g.places.Push(place)
	}
	if g.open.Add(1) > 0 { // G7, LP(Leave)
		return 0, 0, false
	}
	return g.right()
}

// TryTake takes a place for somebody who is not a node, if one is free and no node waits for it.
func (g *Gate) TryTake() (place uint32, ok bool) {
	for {
		v := g.open.Load()
		if v <= 0 {
			return 0, false // LP(TryTake)
		}
		if g.open.CompareAndSwap(v, v-1) { // G4, LP(TryTake)
			return g.number(), true
		}
	}
}

// right takes a node and a place, to which the caller has a right (G8).
func (g *Gate) right() (n entry.Entry, place uint32, ok bool) {
	n, ok = g.nodes.Pop()
	if !ok {
		panic("taskgraph: a gate has lost a task")
	}
	return n, g.number(), true
}

func (g *Gate) number() uint32 {
	if g.places == nil {
		return 0
	}
	if place, ok := g.places.Pop(); ok {
		return place
	}
	return g.fresh.Add(1) - 1
}
