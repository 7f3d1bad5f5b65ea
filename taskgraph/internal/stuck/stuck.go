package stuck

import (
	"cmp"
	"slices"
	"time"

	"github.com/heddle-go/heddle/graphevent"
)

// A Node is something that has not ended, and what it waits for.
type Node struct {
	Event graphevent.Event // the zero one: a goroutine, or several launches
	Name  string           // "": it has ended meanwhile
	State string
	Site  string

	Out  []int32  // the nodes that it waits for
	Any  bool     // one of them suffices
	Else []string // awaited things that are not nodes
	Why  string   // what else keeps it

	Alive   bool   // it makes progress by itself
	Runs    bool   // it is running, as far as is known
	Stalled string // why it does not end if it runs in a system where nothing does

	Age time.Duration
	GID uint64 // of the goroutine that waits in the body, or runs it
}

// AnotherSystem is what a node waits for of which the system knows nothing.
const AnotherSystem = "something of another system"

// isCause reports whether something that is not a node, and of which nothing is known, keeps n from
// completing.
func (n *Node) isCause() bool {
	return n.Why != "" || len(n.Else) > 0 && len(n.Out) == 0 ||
		slices.Contains(n.Else, AnotherSystem)
}

// A Finding says what will become of each node.
type Finding struct {
	Free   []bool // it is not stuck
	Cyclic []bool // it is stuck, and waits for itself

	// Order has all nodes that have not ended: causes, cycles, and nodes that wait for these, by
	// distance; then running nodes, those that wait for them, and those about to run.
	Order []int32

	// Cycles has one cycle of each strongly connected component, up to the given number, by names:
	// each node waits for the next, and the last for the first.
	Cycles [][]int32
}

// Find finds out what will become of the nodes, each of whose Out is sorted and without repetition,
// and at most maxCycles cycles.
//
// The nodes that are not stuck are the least set that has all nodes that are alive, all that wait
// only for members of the set, and all that wait for one of several nodes of which one is a member.
// All other nodes are stuck: each is, or waits for, a cause or a cycle. So cycles need no rule of
// their own.
func Find(nodes []Node, maxCycles int) Finding {
	g := graph{nodes: nodes, back: backwards(nodes)}
	f := Finding{Free: g.free()}
	f.Cyclic, f.Cycles = g.cycles(f.Free)
	f.Cycles = f.Cycles[:min(len(f.Cycles), maxCycles)]
	rank := g.ranks(f.Free, f.Cyclic)
	for i := range nodes {
		if nodes[i].Name != "" {
			f.Order = append(f.Order, int32(i))
		}
	}
	slices.SortFunc(f.Order, func(a, b int32) int {
		x, y := &nodes[a], &nodes[b]
		return cmp.Or(cmp.Compare(rank[a], rank[b]), Naturally(x.Name, y.Name),
			cmp.Compare(x.Event.Node(), y.Event.Node()))
	})
	return f
}

// A graph has nodes, and for each node those that wait for it.
type graph struct {
	nodes []Node
	back  [][]int32
}

func backwards(nodes []Node) [][]int32 {
	back := make([][]int32, len(nodes))
	for i := range nodes {
		for _, to := range nodes[i].Out {
			back[to] = append(back[to], int32(i))
		}
	}
	return back
}

// free returns which nodes are not stuck.
func (g graph) free() []bool {
	free := make([]bool, len(g.nodes))
	left := make([]int, len(g.nodes)) // how many of the awaited nodes must still become free
	var todo []int32
	for i := range g.nodes {
		n := &g.nodes[i]
		left[i] = len(n.Out)
		if n.Any {
			left[i] = min(left[i], 1)
		}
		switch {
		case n.Alive:
			left[i] = 0
		case n.isCause():
			left[i] = -1 // never
		}
		if left[i] == 0 {
			free[i] = true
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range g.back[i] {
			if left[b]--; left[b] == 0 && !free[b] {
				free[b] = true
				todo = append(todo, b)
			}
		}
	}
	return free
}

// ranks numbers the nodes as Finding.Order says.
func (g graph) ranks(free, cyclic []bool) []int {
	const far = 1 << 30
	rank := make([]int, len(g.nodes))
	var todo []int32
	for i := range g.nodes {
		n := &g.nodes[i]
		switch {
		case free[i] && n.Runs:
			rank[i] = far + 1
		case free[i] && len(n.Out) > 0:
			rank[i] = far + 2
		case free[i]:
			rank[i] = far + 3
		case n.isCause():
			todo = append(todo, int32(i))
		case cyclic[i]:
			rank[i] = 1
		default:
			rank[i] = far
		}
	}
	for i := range g.nodes {
		if rank[i] == 1 {
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		for _, b := range g.back[i] {
			if rank[b] == far {
				rank[b] = max(rank[i], 1) + 1
				todo = append(todo, b)
			}
		}
	}
	return rank
}
