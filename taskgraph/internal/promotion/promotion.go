package promotion

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/records"
)

// A Rank is the level of the task of a node, with the generation of the event that it was set for
// above it. For the event of another life of the node it means nothing. The zero Rank is of no
// task.
type Rank struct{ word atomics.Uint64 }

const levelBits = 8

func wordOf(e graphevent.Event, l kernel.Level) uint64 {
	return e.Generation()<<levelBits | uint64(l)
}

// Set makes l the level of the task of e. It is for who builds it.
func (r *Rank) Set(e graphevent.Event, l kernel.Level) { r.word.Store(wordOf(e, l)) }

// Level returns the level of the task of e: Normal, unless it was set or raised. Who queues the
// task asks after it has become ready (PR3).
func (r *Rank) Level(e graphevent.Event) kernel.Level {
	w := r.word.Load()
	if w>>levelBits != e.Generation() {
		return kernel.Normal
	}
	return kernel.Level(w)
}

// Raise makes l the level of the task of e, and reports whether that was lower. It is ready if it
// may have been queued at the former level: then it needs a second entry.
func (r *Rank) Raise(e graphevent.Event, l kernel.Level) (raised, ready bool) {
	for {
		w, now := r.word.Load(), kernel.Normal
		switch gen := e.Generation(); {
		case w>>levelBits > gen:
			return false, false // long complete
		case w>>levelBits == gen:
			now = kernel.Level(w)
		}
		if now <= l {
			return false, false
		}
		if r.word.CompareAndSwap(w, wordOf(e, l)) { // PR1
			return true, e.State() == graphevent.StateReady // PR2
		}
	}
}

// Seconds are the tasks that have second entries, each by the number that its entry has as index.
// The zero Seconds has none. Every method may be called by any goroutine.
type Seconds struct {
	events records.Pool[graphevent.Event]
}

// Add returns a number for e, and false if there are as many as entries can name.
func (s *Seconds) Add(e graphevent.Event) (number uint32, ok bool) {
	number, record := s.events.Take()
	if record == nil {
		return 0, false
	}
	*record = e
	return number, true
}

// Of returns the event of a number, for who knows that its entry is in a queue.
func (s *Seconds) Of(number uint32) graphevent.Event { return *s.events.At(number) }

// Take returns the event of a number, which it gives back. It is for who has popped its entry, and
// claims the task by the event (PR4).
func (s *Seconds) Take(number uint32) graphevent.Event {
	record := s.events.At(number)
	e := *record
	*record = graphevent.Event{}
	s.events.Put(number)
	return e
}
