package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// isAwaited reports whether a goroutine from outside, or a named thread outside of its bodies,
// waits for something of the system. It may miss one that begins a wait: that one reads dry after
// showing the wait.
func (s *System) isAwaited() bool {
	for range s.shownWaits {
		return true
	}
	return false
}

// shownWaits yields, for each such wait that shows that it is not over, what wakes who waits.
func (s *System) shownWaits(yield func(wake func()) bool) {
	for w := range s.waiters.All {
		if s.isFor(&w.Wait) && !yield(w.End) {
			return
		}
	}
	for t := range s.threadRunners {
		if s.isFor(&t.slotWait) && !yield(t.wake) {
			return
		}
	}
}

func (s *System) isFor(w *waits.Wait) bool {
	seen, ok := w.Look(s.store)
	return ok && (seen.More > 0 || !complete(seen.Events))
}

// noLongerWaits tells Shutdown that a wait is over, in case Shutdown waited only for that.
func (s *System) noLongerWaits() {
	if s.door.IsClosed() && s.kern.Over(&s.door) {
		s.door.Tell()
	}
}

// wakeWaiters makes everybody who shows a wait look again, after dry is set. Whoever is about to
// show one reads dry afterwards, see waitOutside.
func (s *System) wakeWaiters() {
	for wake := range s.shownWaits {
		wake()
	}
}

// isOverFor reports whether the system has been shut down and one of its events will never
// complete: only tasks whose bodies have not returned still complete.
func (s *System) isOverFor(events []Event) bool {
	if !s.dry.Load() {
		return false
	}
	for _, e := range events {
		if e.Store() == s.store &&
			(e.State() != graphevent.StateExecuting || s.store.IsManual(e)) && !e.IsComplete() {
			return true
		}
	}
	return false
}
