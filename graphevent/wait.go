package graphevent

import (
	"context"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/sleepevent"
)

// A waiter is a goroutine inside Wait.
type waiter struct {
	sig     *sleepevent.Signal
	failure atomics.Pointer[outcome] // of the event; set before the signal: the store may forget it
}

// end wakes the waiter of an event that has completed.
func (w *waiter) end(o *outcome) {
	w.failure.Store(o)
	w.sig.Trigger()
}

// Wait blocks until the event has completed and returns its failure, also if the store has
// forgotten that by the time the goroutine runs; a failure that was forgotten before the call reads
// as it does in [Event.Err]. It returns the cause of ctx's end if that comes first: at once if ctx
// has ended before. Otherwise the store then keeps a node, and the signal of the wait, until the
// event completes: repeated waits with a limit on an event that never completes fill the memory.
//
// Without [Options.Wait] the calling goroutine waits in the Go scheduler, not in the kernel: any
// number may wait, none of them occupies an OS thread, and a bubble of testing/synctest counts it
// as durably blocked. It is woken once, by the goroutine that completes the event, in its turn
// among all that is registered on the event, and runs when the Go scheduler comes to it, as a
// receiver of a channel does: at once where a P is idle, and otherwise after what is ready before.
// A goroutine that is locked to its OS thread is woken more slowly, as by a channel. Wait then
// panics if ctx is nil and e is incomplete, and allocates. It must not be called where the event
// waits for the caller to return, as in a function of [Event.OnComplete].
func (e Event) Wait(ctx context.Context) error {
	if e.IsComplete() {
		return e.Err()
	}
	if e.store.opts.Wait != nil {
		return e.store.opts.Wait(ctx, e)
	}
	if ctx == nil {
		panic("graphevent: Wait with a nil context")
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s := e.store
	w := &waiter{sig: sleepevent.NewSignal(sleepevent.Options{Park: sleepevent.ParkGo})}
	n := s.Acquire(nil)
	s.sides.Grow(uint32(n)).wait = w
	if !s.callAfter(n, e) {
		return e.Err()
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { w.sig.Trigger() })
		defer stop()
	}
	for !e.IsComplete() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.sig.Wait()
	}
	if o := w.failure.Load(); o != nil {
		return o.see()
	}
	return e.Err() // complete; the signal is about to come
}
