package kernel

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// A Door counts what was launched and is not complete, and says when that is nothing and will
// stay so. Launches from outside pass through it, one by one, and are refused once it is closed.
// Everything else is counted elsewhere, by whoever does it, and reported as a sum before the
// kernel's activity counts them as idle. [Kernel.Over] puts the two together.
type Door struct {
	// The count of launches is spread, so that launching goroutines do not write one line.
	shards [doorShards]doorShard
	closed atomics.Bool // before any shard is, so that nobody gets in who comes after one that was refused
	_      cacheline.Pad
	done   atomics.Int64 // completed minus launched from inside, as far as reported
}

const doorShards = 8

type doorShard struct {
	n atomics.Uint64 // closed bit and count
	_ cacheline.Pad
}

const doorClosed = 1 << 63

// Enter counts one launch, in the shard of n, unless the door is closed. When it refuses, somebody
// may have counted the launch for a moment and must look again.
func (d *Door) Enter(n uint32) bool {
	g := &d.shards[n%doorShards].n
	if d.closed.Load() { // D1
		return false
	}
	if g.Add(1)&doorClosed == 0 { // D2, LP(Enter)
		return true
	}
	g.Add(^uint64(0))
	return false
}

// IsClosed reports whether the door is closed, or about to be.
func (d *Door) IsClosed() bool { return d.closed.Load() }

// Close lets nobody enter any more.
func (d *Door) Close() {
	d.closed.Store(true) // D3
	for i := range d.shards {
		d.shards[i].n.Or(doorClosed) // D4
	}
}

// Report adds a sum of completions, each counted after it was done, minus launches from inside.
func (d *Door) Report(count int64) { d.done.Add(count) }

// Live returns the number of what is incomplete. It is exact when all have reported and nobody
// launches.
func (d *Door) Live() int64 {
	var n int64
	for i := range d.shards {
		n += int64(d.shards[i].n.Load() &^ doorClosed)
	}
	return n - d.done.Load()
}

// Over reports whether nothing that entered the closed door d is incomplete, and nobody is left
// to launch more from inside. A false is followed by an OnQuiet, or by the end of a refused
// Enter, if it becomes true (D6).
func (k *Kernel) Over(d *Door) bool {
	active, stamp := k.Activity()
	if active != 0 || d.Live() != 0 {
		return false
	}
	_, again := k.Activity()
	return again == stamp
}
