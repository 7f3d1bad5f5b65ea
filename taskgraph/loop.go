package taskgraph

import (
	"context"
	"runtime/debug"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
)

// batchesPerWorker is how many batches a worker finds in a loop whose grain is automatic:
// enough that one slow batch does not hold up the end.
const batchesPerWorker = 6

// ParallelFor calls body for disjoint ranges [lo, hi) that together cover [0, n), in
// parallel, and returns when all calls have. The calling goroutine takes part. A range has
// grain elements, the last one perhaps fewer; grain 0 chooses. If a call panics, no further
// range is begun and the panic is returned as a *graphevent.PanicError. It panics if n or
// grain is negative.
func (s *System) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return s.parallelFor(nil, n, grain, body)
}

// ParallelFor is like [System.ParallelFor]; the helpers have the priority of the running
// task.
func (c *Context) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return c.r.sys.parallelFor(c, n, grain, body)
}

// A loop is a ParallelFor that is going on. Helpers that are late find it closed and touch
// nothing else of it.
type loop struct {
	sys   *System
	body  func(lo, hi int)
	n     int64
	grain int64
	prio  Priority

	helpers atomics.Int64 // that may still be launched
	failed  atomics.Pointer[error]
	done    Event       // triggered by the last helper to leave a closed loop; set before the closing
	left    park.Parker // then unparked: a shutdown may complete done, but not the loop

	_      cacheline.Pad
	cursor atomics.Int64 // the elements below it have been taken
	_      cacheline.Pad
	state  atomics.Uint32 // loopClosed and the number of helpers at work
}

const loopClosed = 1 << 31

func (s *System) parallelFor(c *Context, n, grain int, body func(lo, hi int)) error {
	if n < 0 {
		panic("taskgraph: ParallelFor over a negative number of elements")
	}
	if grain < 0 {
		panic("taskgraph: ParallelFor with a negative grain")
	}
	if n == 0 {
		return nil
	}
	workers := s.kern.Workers()
	if grain == 0 {
		grain = max(1, n/(workers*batchesPerWorker))
	}
	l := &loop{sys: s, body: body, n: int64(n), grain: int64(grain)}
	helpers := min(int64(workers), (l.n-1)/l.grain)
	if c != nil {
		helpers = min(helpers, int64(workers-1))
		l.prio = c.prio
	}
	l.helpers.Store(helpers)
	l.launch(c)
	// The helpers that are at work must have left before the caller goes on, also if its
	// own batch ends the goroutine.
	defer l.close(c)
	l.work()
	l.close(c)
	if err := l.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// launch launches the next helper, if there is one left and work for it.
func (l *loop) launch(c *Context) {
	if l.helpers.Add(-1) < 0 || l.cursor.Load() >= l.n {
		return
	}
	b := Body{l}
	if c != nil {
		t := c.Task(b)
		if l.prio != PriorityNormal {
			t = t.Priority(l.prio)
		}
		t.Launch()
		return
	}
	l.sys.launchNow(b)
}

// help is the body of a helper. Each one launches the next, so that many wake in a chain.
func (l *loop) help(c *Context) error {
	if !l.join() {
		return nil
	}
	c.reported = true
	defer l.leave()
	l.launch(c)
	l.work()
	return nil
}

// join counts a helper in, unless the loop is closed.
func (l *loop) join() bool {
	for {
		v := l.state.Load()
		if v&loopClosed != 0 {
			return false
		}
		if l.state.CompareAndSwap(v, v+1) {
			return true
		}
	}
}

// leave counts a helper out. The last one to leave a closed loop lets the caller go on.
func (l *loop) leave() {
	if l.state.Add(^uint32(0)) == loopClosed {
		l.done.Trigger()
		l.left.Unpark()
	}
}

// work takes ranges until there are none left.
func (l *loop) work() {
	finished := false
	defer func() {
		if finished {
			return
		}
		l.cursor.Store(l.n)
		if v := recover(); v != nil {
			l.fail(&graphevent.PanicError{Value: v, Stack: debug.Stack()})
			return
		}
		l.fail(graphevent.ErrGoexit)
	}()
	for {
		lo := l.cursor.Add(l.grain) - l.grain
		if lo >= l.n {
			break
		}
		l.body(int(lo), int(min(lo+l.grain, l.n)))
	}
	finished = true
}

func (l *loop) fail(err error) { l.failed.CompareAndSwap(nil, &err) }

// close ends the loop for helpers that have not joined, and waits for those that have.
func (l *loop) close(c *Context) {
	if l.state.CompareAndSwap(0, loopClosed) || l.state.Load()&loopClosed != 0 {
		return
	}
	l.left.Init(l.sys.mode)
	l.done = l.sys.store.NewEvent()
	l.sys.label(l.done, &label{name: "helpers of a loop have left", loop: true})
	if l.state.Or(loopClosed) == 0 {
		l.done.Trigger() // the last has left meanwhile
		return
	}
	ctx, events := context.Background(), [...]Event{l.done}
	switch {
	case l.sys.spin && drowse(waitSpins, events[:]):
	case c == nil:
		_ = l.sys.WaitUntilTasksComplete(ctx, events[:]...)
	default:
		_ = c.r.block(ctx, events[:])
	}
	for l.state.Load() != loopClosed {
		// A shutdown has ended the wait, or failed the event. The helpers still call the body.
		l.left.Park()
	}
}
