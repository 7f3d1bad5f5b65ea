package kernel

import "github.com/heddle-go/heddle/internal/atomics"

// A Tally counts the nodes of one run of a graph that have ended. Holders of slots count for
// themselves and report the sum when they turn to anything else: when they are out of work, take
// what is not of this run, park, wait or block. So one word is not written by every node.
type Tally struct {
	left atomics.Int64
}

// Begin starts a run of n nodes.
func (t *Tally) Begin(n int) { t.left.Store(int64(n)) } // T1

// Left returns the number of nodes that nobody has reported.
func (t *Tally) Left() int64 { return t.left.Load() }

// Report takes off count nodes, and reports whether those were the last. After that the run
// may be over at any moment, for the one who got true.
func (t *Tally) Report(count int64) (last bool) { return t.left.Add(-count) == 0 } // T2
