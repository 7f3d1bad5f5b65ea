package namedthread

import "context"

// Run is the main loop of an attached thread: it runs the work of the main queue as it comes,
// sleeping while there is none, until ctx ends or the thread is told to quit. It returns nil
// after Quit, and context.Cause(ctx) if ctx ended first: then work that is left stays for the
// next pump, or for [Thread.Detach] to cancel. Inside a pump of the main queue the result is
// [ErrReentered]. For the rest it is as [Thread.PumpUntilIdle].
func (t *Thread) Run(ctx context.Context) error {
	k := t.NewToken()
	if ctx.Done() != nil {
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
