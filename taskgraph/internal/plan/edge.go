package plan

// An Edge leads to a dependent: it has the dependent's number, and above that the number of its
// predecessors, at most edgeMany. So no edge is 0. The edges of a task form a row, in which the one
// that was added last comes first and the last one is marked.
type Edge uint32

const (
	edgeBits = 28
	edgeMask = 1<<edgeBits - 1
	edgeMany = 1<<(31-edgeBits) - 1
	lastEdge = 1 << 31
)

// Limit bounds the tasks of a plan.
const Limit = 1 << edgeBits

// To returns the dependent.
func (e Edge) To() uint32 { return uint32(e) & edgeMask }

// IsLast reports whether e is the last of its row.
func (e Edge) IsLast() bool { return e&lastEdge != 0 }

// with returns the edge to another task with the same mark and the same count.
func (e Edge) with(to uint32) Edge { return e&^edgeMask | Edge(to) }

// A Link leads to the dependents of a task: it is none, the edge to the only one, or the beginning
// of their row.
type Link uint32

// IsNone reports whether there is no dependent.
func (l Link) IsNone() bool { return l == 0 }

// Only returns the edge to the dependent, if there is just one.
func (l Link) Only() (e Edge, ok bool) { return Edge(l), l&lastEdge != 0 }

// Row returns where the edges begin, if there are several dependents.
func (l Link) Row() uint32 { return uint32(l) }
