package plan

import "github.com/heddle-go/heddle/internal/atomics"

// A Plan is the order of the tasks of a graph, and the progress of its run. The zero Plan has no
// tasks.
//
// # Concurrency
//
// Between Begin and the last Arrive of a run, any goroutine may call all methods except Begin,
// SetBack and PutInOrder, which must not be called then. What was done before the Arrive of each
// predecessor synchronizes before the return of the Arrive that reports the task ready.
//
// # Progress
//
// Wait-free: an Arrive is at most one addition.
type Plan struct {
	links []Link // by task
	next  []Edge // rows of edges, from 1 on

	// For each task, how many predecessors have ended over all runs: in run r, the one that brings
	// this to r times their number, modulo 2^32, makes the task ready. So nothing has to be reset
	// between runs. It is unused for tasks with one predecessor, nil if there are no others, and
	// zero beyond its length. Access to it is random; kept apart from data that is read in order,
	// it is small enough to stay in the cache.
	arrived []atomics.Uint32

	preds []uint32 // by task; nil if all edges have the number

	// Roots are the tasks that have no predecessor.
	Roots []uint32

	run     uint32   // number of the run, modulo 2^32
	ordered bool     // PutInOrder was called
	first   []uint32 // by task: its first number; nil if all have kept theirs
}

// Begin begins the next run.
func (p *Plan) Begin() { p.run++ } // N2

// SetBack resets the counts of predecessors, so that the next run is the first.
func (p *Plan) SetBack() {
	clear(p.arrived)
	p.run = 0
}

// Len returns the number of tasks.
func (p *Plan) Len() int { return len(p.links) }

// Link returns the link to the dependents of task i.
func (p *Plan) Link(i uint32) Link { return p.links[i] }

// At returns the edge at a place. The place after the last of a row may be read, too.
func (p *Plan) At(place uint32) Edge { return p.next[place] }

// row returns the edges from a place to the end of their row.
func (p *Plan) row(place uint32) []Edge {
	end := place
	for !p.next[end].IsLast() {
		end++
	}
	return p.next[place : end+1]
}

// Dependents returns the edges to the dependents of i, the last added first; only is memory for a
// single one.
func (p *Plan) Dependents(i uint32, only *[1]Edge) []Edge {
	l := p.links[i]
	if e, ok := l.Only(); ok {
		only[0] = e
		return only[:]
	}
	if l.IsNone() {
		return nil
	}
	return p.row(l.Row())
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
	if n == 1 { // first: most tasks have one predecessor
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
