package door

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
)

// A Door counts launches that are not complete, and tells when there are none and will be none.
// Launches from outside enter one by one, and are refused once the door is closed. Whoever launches
// or completes inside counts that privately, and reports the sum before an [Activity] counts it as
// idle. Over puts the two together, and whoever changes what that looks at calls Tell. Init comes
// before anything else.
type Door struct {
	// The count of launches is spread, so that launching goroutines do not write one line.
	shards [doorShards]doorShard
	closed atomics.Bool // set before the shards' bits: none enters after a refused one
	looks  *park.Parker // of who has closed the door
	_      cacheline.Pad
	done   atomics.Int64 // completed minus launched from inside, as far as reported
}

const doorShards = 8

type doorShard struct {
	n atomics.Uint64 // closed bit and count
	_ cacheline.Pad
}

const doorClosed = 1 << 63

// Init says where whoever closes the door sleeps between two looks at Over.
func (d *Door) Init(looks *park.Parker) { d.looks = looks }

// Enter counts one launch, in the shard of n, unless the door is closed.
func (d *Door) Enter(n uint32) bool {
	g := &d.shards[n%doorShards].n
	if d.closed.Load() { // D1
		return false
	}
	if g.Add(1)&doorClosed == 0 { // D2, LP(Enter)
		return true
	}
	g.Add(^uint64(0))
	d.Tell() // it was counted for a moment
	return false
}

// Tell makes whoever has closed the door look again. Called by everybody who has changed what Over
// looks at, after that.
func (d *Door) Tell() {
	if d.closed.Load() { // D7
		d.looks.Unpark()
	}
}

// IsClosed reports whether the door is closed, or about to be.
func (d *Door) IsClosed() bool { return d.closed.Load() }

// Close lets nobody enter any more. It reports false, and does nothing, if somebody has called it
// before.
func (d *Door) Close() bool {
	if !d.closed.CompareAndSwap(false, true) { // D3
		return false
	}
	for i := range d.shards {
		d.shards[i].n.Or(doorClosed) // D4
	}
	return true
}

// Report adds a number of completions, each counted after it happened, minus launches from inside.
// A slot reports before its Leave of an [Activity]: D5.
func (d *Door) Report(count int64) { d.done.Add(count) }

// Live returns the number of incomplete launches. It is exact when everybody has reported and
// nobody launches.
func (d *Door) Live() int64 {
	var n int64
	for i := range d.shards {
		n += int64(d.shards[i].n.Load() &^ doorClosed)
	}
	return n - d.done.Load()
}

// Over reports whether all that entered the closed door is complete, and nobody whom a counts is
// left to launch more from inside. If it becomes true after reporting false, a Tell follows (D6).
func (d *Door) Over(a *Activity) bool {
	active, stamp := a.Look()
	if active != 0 || d.Live() != 0 {
		return false
	}
	_, again := a.Look()
	return again == stamp
}
