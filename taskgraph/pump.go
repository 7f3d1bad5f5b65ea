package taskgraph

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/namedthread"
)

// PumpUntilTasksComplete is [System.WaitUntilTasksComplete] on a named thread that meanwhile runs
// whatever is posted to it, in its order, as a pump of its main queue does: for a thread that must
// go on serving others while it waits, or that waits for what only such work brings about. In a
// body give its Context as ctx. It runs nothing that workers can run.
//
// The work may find anything half done that the caller is in the middle of; WaitUntilTasksComplete
// runs nothing but what it waits for. So nothing that is run on top of other work of the thread can
// pump: the error is namedthread.ErrReentered in what a pump or a wait runs,
// namedthread.ErrNotNamed where the caller is no thread of the registry, and namedthread.ErrClosed
// once the thread quits.
func (s *System) PumpUntilTasksComplete(ctx context.Context, events ...Event) error {
	s.turns.Check()
	r := s.threadOf(s.bodyIn(ctx))
	switch {
	case r == nil:
		return fmt.Errorf("taskgraph: PumpUntilTasksComplete: %w", namedthread.ErrNotNamed)
	case r.depth > 1: // also where the thread only helps another body, outside of any pump
		return fmt.Errorf("taskgraph: PumpUntilTasksComplete: %w", namedthread.ErrReentered)
	}
	for _, e := range events {
		if r.isBelow(e) {
			return fmt.Errorf("taskgraph: %s waits for itself", s.nameOf(e))
		}
	}
	s.turns.Yield()
	if err := r.blockFor(ctx, events, &awaited{pumps: true}); err != nil {
		return err
	}
	return failure(events)
}

// pump is the middle of a wait that pumps: W7.
func (w *threadWait) pump(th *namedthread.Thread) error {
	if _, err := th.PumpUntil(namedthread.QueueMain, w.look); err != nil {
		return fmt.Errorf("taskgraph: PumpUntilTasksComplete: %w", err)
	}
	if w.isOver() {
		return nil
	}
	return w.cause()
}
