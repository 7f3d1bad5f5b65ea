package heddlehttp

import (
	"context"

	"github.com/heddle-go/heddle/internal/yield"
	"github.com/heddle-go/heddle/taskgraph"
)

var nothing = taskgraph.Do(func() {})

// Yield is for loops of long handlers: if requests of a higher priority than that of the running
// handler wait, its worker goes to them, and to whatever else of such a priority is queued in the
// system; then the handler goes on, before other requests of its class, and perhaps on another
// worker. It returns the cause of ctx's end, after which the handler should return.
//
// ctx is the context of the handler's request, or one derived from it; with another one Yield only
// looks whether that has ended. If nobody waits it takes one read for each class of the pool, so it
// may be called every few microseconds; how often it is called is how long others wait. Only the
// goroutine that runs the handler may call it.
//
// Locks that are held meanwhile keep others waiting: a request that runs meanwhile may want them.
func Yield(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	at, ok := ctx.Value(place{}).(*worker)
	if ok {
		yield.IfWanted()
	}
	if !ok || !at.class.pool.waitsAbove(at.class.options.Priority) {
		return nil
	}
	// A wait that may end early runs nothing on top of the handler, but gives the worker away.
	if ctx.Done() == nil {
		var end context.CancelFunc
		ctx, end = context.WithCancel(ctx)
		defer end()
	}
	// A task behind all that is queued with the next higher priority, in the queue that requests
	// are in and not in the worker's own, which comes first.
	above := byRank[rank(at.class.options.Priority)-1]
	turn := at.context.System().Task(nothing).Priority(above).Launch()
	return at.context.WaitUntilTasksComplete(ctx, turn)
}

// Worker returns the Context of the task that runs the handler whose request has the context ctx,
// so that it can have its work shared by other workers, with its own priority; or nil outside of a
// handler of a Class. It is valid until the handler returns, and only on its goroutine.
func Worker(ctx context.Context) *taskgraph.Context {
	if at, ok := ctx.Value(place{}).(*worker); ok {
		return at.context
	}
	return nil
}
