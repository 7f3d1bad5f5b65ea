package plan

import "github.com/heddle-go/heddle/internal/atomics"

// A Plan is the order between the tasks of a graph, and how far a run of it has come. The zero Plan
// has no tasks.
//
// # Concurrency
//
// Between Begin and the last Arrive of a run, any goroutine may call the methods but Begin, SetBack
// and PutInOrder, and these must not be called then. What was done before the Arrive of each
// predecessor synchronizes before the return of the one that reports the task ready.
//
// # Progress
//
// Wait-free: an Arrive is at most one addition.
type Plan struct {
	links []Link // by task
	next  []Edge // rows of edges, from 1 on

	// Of each task the predecessors that ended, over all runs: in run r, the one that brings it
	// to r times their number, modulo 2^32, makes it ready. So nothing has to be set back between
	// two runs. It is not used where there is one predecessor, and nil if that is so everywhere.
	// Beyond its length it is zero. Edges lead all over it: apart from what is read in order it is
	// small, and so mostly near.
	arrived []atomics.Uint32

	preds []uint32 // by task; nil if all edges say it

	// Roots are the tasks that have no predecessor.
	Roots []uint32

	run     uint32   // number of the run, modulo 2^32
	ordered bool     // PutInOrder was called
	first   []uint32 // by task: its first number; nil if all have kept theirs
}

// Begin begins the next run.
func (p *Plan) Begin() { p.run++ } // N2

// SetBack makes the next run the first, as far as the counts of predecessors go.
func (p *Plan) SetBack() {
	clear(p.arrived)
	p.run = 0
}

// Link returns what task i has of its dependents.
func (p *Plan) Link(i uint32) Link { return p.links[i] }

// At returns the edge at a place. The place after the last of a row may be read, too.
func (p *Plan) At(place uint32) Edge { return p.next[place] }

// Row returns the edges from a place to the end of their row.
func (p *Plan) Row(place uint32) []Edge {
	end := place
	for !p.next[end].IsLast() {
		end++
	}
	return p.next[place : end+1]
}

// Dependents returns the edges to the dependents of i, the one that was added last first; only is
// memory for it.
func (p *Plan) Dependents(i uint32, only *[1]Edge) []Edge {
	l := p.links[i]
	if e, ok := l.Only(); ok {
		only[0] = e
		return only[:]
	}
	if l.IsNone() {
		return nil
	}
	return p.Row(l.Row())
}

// Predecessors returns how many predecessors the task of e has.
func (p *Plan) Predecessors(e Edge) uint32 {
	n := uint32(e) >> edgeBits & edgeMany
	if n == edgeMany {
		n = p.preds[e.To()]
	}
	return n
}

// Arrive counts the end of a predecessor of the task of e, and reports whether that makes it ready.
func (p *Plan) Arrive(e Edge) bool {
	n := uint32(e) >> edgeBits & edgeMany
	if n == 1 { // first: most have one
		return true
	}
	return p.arrived[e.To()].Add(1) == p.run*p.Predecessors(e) // N1, N3
}

// First returns the number that task i had when it was added.
func (p *Plan) First(i uint32) uint32 {
	if p.first != nil {
		return p.first[i]
	}
	return i
}
