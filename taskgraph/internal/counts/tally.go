package counts

import "github.com/heddle-go/heddle/internal/atomics"

// A Tally counts the nodes of one run of a graph that have ended. Each holder of a slot counts for
// itself, and reports the sum when it turns to anything else: when it is out of work, takes work of
// another kind, parks, waits or blocks. So not every node writes one shared word.
type Tally struct {
	left atomics.Int64
}

// Begin starts a run of n nodes.
func (t *Tally) Begin(n int) { t.left.Store(int64(n)) } // T1

// Left returns the number of nodes that nobody has reported.
func (t *Tally) Left() int64 { return t.left.Load() }

// Report takes off count nodes, and reports whether those were the last. Then the run may be over
// at any moment; whoever got true ends it.
func (t *Tally) Report(count int64) (last bool) { return t.left.Add(-count) == 0 } // T2
