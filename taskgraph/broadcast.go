package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/namedthread"
)

// Broadcast calls f once for each worker, on the goroutine that is that worker at that moment, and
// once on each named thread of the registry, and returns when all calls have returned. f gets the
// worker's number and a nil thread, or -1 and the thread. It must not broadcast, wait for tasks or
// use a Context.
//
// A worker comes at the end of its task, or when that waits through its [Context]; those that stand
// in for bodies that block are not called. A thread comes when it pumps its main queue, not in a
// wait. A caller that is a thread or a body takes its own part.
//
// If ctx ends first, those that have not come are not called any more and the error is a
// *[BroadcastError]. If calls panic or end their goroutines, the others go on, and the error joins
// those of all. After a Shutdown has begun it is ErrClosed. Broadcasts take place one after the
// other, make garbage, and wake every worker.
func (s *System) Broadcast(ctx context.Context, f func(worker int, th *namedthread.Thread)) error {
	return s.broadcast(ctx, f, false)
}

// Rendezvous is [System.Broadcast] with a meeting: f is called when all have come, and not at all
// if ctx ends before. Who has come waits for the others.
func (s *System) Rendezvous(ctx context.Context, f func(worker int, th *namedthread.Thread)) error {
	return s.broadcast(ctx, f, true)
}
