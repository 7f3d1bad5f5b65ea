package tick

import (
	"fmt"

	"github.com/heddle-go/heddle/namedthread"
)

// Options configures a [Set].
type Options struct {
	// Groups are the groups in the order of their release: from 1 to [MaxGroups].
	Groups []Group

	// Thread, if not nil, runs all functions but those with [Function.AnyThread]. It must be of the
	// registry of the system, or New panics. Default nil: the workers run everything.
	//
	// If the thread itself runs the frames, it should pump its queue once a frame, even if nobody
	// else posts to it: what a wait on it has run stays queued until then, and so do the tasks'
	// places in memory.
	Thread *namedthread.Thread
}

func (o *Options) validate() {
	switch n := len(o.Groups); {
	case n == 0 || n > MaxGroups:
		panic(fmt.Sprintf("tick: New with %d groups, want 1 to %d", n, MaxGroups))
	case o.Groups[n-1].NoDemotion:
		panic(fmt.Sprintf("tick: New with NoDemotion for the last group, %q", o.Groups[n-1].Name))
	}
}
