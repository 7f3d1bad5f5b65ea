package nest

import (
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A What says whether a stretch begins, ends, or whether something happens in a moment.
type What uint8

// What an Op can be.
const (
	Open What = iota
	Close
	Point
)

// An Op is an event at its place. In the order in which Walk yields them, those of one row are
// balanced like brackets, and their times never decrease and lie in the window.
type Op struct {
	What What
	At   time.Duration

	// Event is what was recorded. Where a stretch was under way when the window began or ended,
	// or its end was lost, nothing was: then only its kind, Task, Other and At are set, and Cut is.
	Event trace.Event
	Cut   bool

	Opened trace.Event // of a Close, what opened the stretch

	// Row is 0 but on the lane of all goroutines from outside, whose stretches overlap: there each
	// stretch has the lowest row that is free, and what is inside it has the same.
	Row   int
	Depth int // how many stretches of the row are open around it
}

// Opens reports whether a kind begins a stretch.
func Opens(k trace.Kind) bool { return k >= trace.Begin && k <= trace.Blocked && k%2 == 1 }

// Closes reports whether a kind ends a stretch; the kind before it began it.
func Closes(k trace.Kind) bool { return k >= trace.End && k <= trace.BlockedEnd && k%2 == 0 }

// Window returns the bounds of a snapshot: if it has none, those of its events.
func Window(s *trace.Snapshot) (from, to time.Duration) {
	if s.To != 0 {
		return s.From, max(s.From, s.To)
	}
	to = s.From
	for i := range s.Lanes {
		for _, e := range s.Lanes[i].Events {
			to = max(to, e.At)
		}
	}
	return s.From, to
}
