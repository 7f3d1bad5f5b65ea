package taskgraph

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A threadRunner is a named thread as a runner: it runs work that is bound to it and, while it is
// lent a slot, work that workers can run.
type threadRunner struct {
	runner
	thread *namedthread.Thread
	wake   func()         // the thread's Wake
	caller *kernel.Runner // for taking part, once made; Runner is then this or nil

	// What has come to the thread, and what its innermost wait has seen of that.
	posts atomics.Uint32            // tasks posted
	taken atomics.Uint32            // posted tasks that the thread has taken out of its lanes
	stirs atomics.Uint32            // see wakeThreadsBut
	cast  atomics.Pointer[castPart] // its part, if a broadcast calls it
	turns int                       // calls of Broadcast on the thread that wait for their turn
	seen  view

	// Its waits.
	waitsHere   atomics.Int32
	threadWait  waits.List    // the waits as others see them, the innermost first
	lookers     atomics.Int32 // how many goroutines read threadWait
	threadWaits []*threadWait // records for waits, reused
	threadDepth int           // how many of these are in use
	among       []Event       // the events of the WaitAny whose wait comes next
	uncounted   bool          // a wait is under way, and nothing on top of it counts as active
}

// foreign returns an error if th is not, and has not been, one of the system's threads.
func (s *System) foreign(th *namedthread.Thread) error {
	switch s.opts.Threads {
	case th.Registry():
		return nil
	case nil:
		return fmt.Errorf("taskgraph: On %v, but the system has no Options.Threads", th)
	}
	return fmt.Errorf("taskgraph: On %v of another registry than Options.Threads of the system", th)
}

// Threads returns Options.Threads.
func (s *System) Threads() *namedthread.Registry { return s.opts.Threads }

func (s *System) owns(th *namedthread.Thread) bool {
	have, ok := s.opts.Threads.At(th.Index())
	return ok && have == th
}

// newEdge, W6, is called after some event got a new prerequisite. A named thread that waits may now
// depend on it, and it may be a task bound to that thread: the thread must look again.
func (s *System) newEdge() {
	if s.kern.Aside() != 0 || s.guestWaits.Load() != 0 {
		s.wakeThreadsBut(nil)
	}
}

func (s *System) wakeThreadsBut(th *namedthread.Thread) {
	for t := range s.threadRunners {
		if t.thread != th && t.waitsHere.Load() != 0 {
			t.stirs.Add(1) // before the wake
			t.thread.Wake()
		}
	}
}

// threadRunners yields the named threads as the system knows them.
func (s *System) threadRunners(yield func(*threadRunner) bool) {
	for i := range s.threads {
		if t := s.threads[i].Load(); t != nil && !yield(t) {
			return
		}
	}
}

// A news counts what has come to a named thread and may concern its wait: posts and new edges.
type news struct{ posts, stirs uint32 }

// A view is what the innermost wait of a named thread has looked at.
type view struct {
	news
	wait *threadWait // the wait that searches; nil: it looks only at the thread's own system
}

// A threadWait is a wait on a named thread. The next wait with as many others beneath it uses it
// again, so that a wait allocates nothing.
type threadWait struct {
	r     *threadRunner
	ctx   context.Context
	stuck error
	look  func() bool // try, as a function value

	shown waits.Wait // to other threads: the events, and the wait beneath, see spareThreadWait

	own int // how many of the shown events the wait is for; the others are the events of a WaitAny

	awaited
	noted bool // the thread is registered to be woken at the end

	others []*guest // this wait as other systems see it

	seen  map[Event]bool // by helpBound
	stack []Event
	runs  []awaitedRun // that it has found

	match func(namedthread.Runnable, uint64) bool // isAwaited, as a function value
}

// A guest is a wait on a named thread as seen by a system that owns some of the awaited events but
// not the waiting body. The thread also runs work of that system that is bound to it. A guest ends
// before its wait does.
type guest struct {
	r     *threadRunner // the thread in that system
	shown waits.Wait    // as in threadWait, but never used again
	seen  news          // the news of r that the wait has looked at
}

// currentThread returns the runner of the calling goroutine, if that is a thread of the system.
func (s *System) currentThread() *threadRunner {
	if s.opts.Threads != nil {
		if th, err := namedthread.Current(); err == nil && s.owns(th) {
			return s.threadRunner(th)
		}
	}
	return nil
}

// threadOf returns the runner of the named thread on which the body of c runs or, if c is nil, that
// calls; nil if there is none.
func (s *System) threadOf(c *Context) *threadRunner {
	if c != nil {
		return c.r.named
	}
	return s.currentThread()
}

func (s *System) threadRunner(th *namedthread.Thread) *threadRunner {
	p := &s.threads[th.Index()]
	for {
		t := p.Load()
		if t != nil && t.thread == th {
			return t
		}
		n := &threadRunner{runner: runner{sys: s, kind: namedThreadRunner}, thread: th,
			wake: th.Wake}
		n.named = n
		n.slotWait.End = n.wake
		n.initLinger()
		n.linger.Leaves = true
		n.takeLane(trace.LaneThread, "thread "+th.Name())
		if p.CompareAndSwap(t, n) {
			s.joinThread(th)
			return n
		}
		n.leaveLane()
	}
}
