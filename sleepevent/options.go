package sleepevent

import "time"

// DefaultDrowseBudget is how long a worker drowses at most before it sleeps, unless
// [Options] say otherwise.
const DefaultDrowseBudget = 50 * time.Microsecond

// Options configure a [Group] or a [Signal]. The zero value is the default.
type Options struct {
	// Park selects how sleepers wait. Default: ParkOS.
	Park Park

	// MaxDrowsers limits how many workers of a Group drowse, that is spin, at a time.
	// 0: one per two Ps, which is none where GOMAXPROCS is 1; GOMAXPROCS is read anew each
	// time. Negative: none. With ParkGo none drowses. A Signal ignores it.
	MaxDrowsers int

	// DrowseBudget limits how long a worker of a Group drowses before it sleeps. Each worker
	// shortens it for itself, down to a sixteenth, while drowsing does not pay. 0:
	// DefaultDrowseBudget. Must not be negative. A Signal ignores it.
	DrowseBudget time.Duration
}

// validate fills in the defaults, and panics on values out of range.
func (o Options) validate() Options {
	if int(o.Park) >= len(modes) {
		panic("sleepevent: unknown Options.Park")
	}
	if o.DrowseBudget < 0 {
		panic("sleepevent: negative Options.DrowseBudget")
	}
	if o.DrowseBudget == 0 {
		o.DrowseBudget = DefaultDrowseBudget
	}
	if o.Park == ParkGo {
		o.MaxDrowsers = -1
	}
	return o
}
