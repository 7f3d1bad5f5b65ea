package namedthread

import "context"

// Run is the main loop of an attached thread: it runs the work of the main queue as it comes,
// sleeping while there is none, until ctx ends or the thread is told to quit. It returns nil
// after Quit, and context.Cause(ctx) if ctx ended first: then work that is left stays for the
// next pump, or for [Thread.Detach] to cancel. If ctx has ended before the call no work is begun.
// That it ends later is brought by another goroutine, and a few pieces may begin until then; work
// that must be the last one calls [Thread.RequestReturn] instead. Inside a pump of the main queue
// the result is [ErrReentered]. It panics if ctx is nil. For the rest it is as
// [Thread.PumpUntilIdle].
func (t *Thread) Run(ctx context.Context) error {
	t.mustBe("Run")
	if ctx == nil {
		panic("namedthread: Run with a nil Context")
	}
	k := t.NewToken()
	switch {
	case ctx.Err() != nil:
		t.RequestReturn(k)
	case ctx.Done() != nil:
		// Late, it returns a token that has served, and ends nothing.
		stop := context.AfterFunc(ctx, func() { t.RequestReturn(k) })
		defer stop()
	}
	_, err := t.pump("Run", pump{queue: QueueMain, end: endReturn, token: k})
	switch err {
	case nil:
		return context.Cause(ctx)
	case ErrClosed:
		return nil
	}
	return err
}
