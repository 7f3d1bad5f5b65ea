package kernel

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// A Gate lets ready nodes through as long as it has places, in the order in which they came. A
// node that came through holds a place until somebody gives it back.
//
// Lock-free. Whoever adds to one side, a node or a place, looks afterwards at both, and takes
// what matches: so a node and a place do not wait beside each other.
type Gate struct {
	places lockfree.Stack[uint32] // free ones, by number
	nodes  lockfree.Queue[graphevent.Node]
	free   atomics.Int64 // places that may be claimed, at most those in the stack
	admit  func(n graphevent.Node, place uint32)
}

// NewGate returns a Gate with the given number of places. Admit is called for each node that
// comes through, by whoever brought it or the place.
func NewGate(places int, admit func(n graphevent.Node, place uint32)) *Gate {
	g := &Gate{admit: admit}
	for i := places; i > 0; i-- {
		g.places.Push(uint32(i - 1))
	}
	g.free.Store(int64(places))
	return g
}

// Enter brings a node.
func (g *Gate) Enter(n graphevent.Node) {
	g.nodes.Push(n)
	g.match()
}

// Leave gives a place back.
func (g *Gate) Leave(place uint32) {
	g.places.Push(place)
	g.free.Add(1)
	g.match()
}

// match lets nodes through while there are both. It claims a place before it takes a node, and
// gives the claim back if there is none; whoever brings a node after that looks for itself.
func (g *Gate) match() {
	for g.claim() {
		n, ok := g.nodes.Pop()
		if !ok {
			g.free.Add(1)
			if g.nodes.Empty() {
				return
			}
			continue // somebody brought one and found the place claimed
		}
		place, _ := g.places.Pop() // there are at least as many as claims
		g.admit(n, place)
	}
}

func (g *Gate) claim() bool {
	for {
		n := g.free.Load()
		if n == 0 {
			return false
		}
		if g.free.CompareAndSwap(n, n-1) { // LP(claim)
			return true
		}
	}
}
