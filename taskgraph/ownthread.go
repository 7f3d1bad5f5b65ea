package taskgraph

import (
	"runtime"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// OnOwnThread makes the task run on an operating system thread of its own, made for it when it is
// ready and ended with it: for a body that blocks for long in calls that the system cannot see, or
// that changes the state of its thread. It takes no worker, and its priority means nothing.
// Shutdown waits for it, and its Context does all that others do; a wait of the body runs nothing
// on the thread. Each starts a goroutine. The process's first thread, if the Go runtime picks that,
// stays.
func (t Task) OnOwnThread() Task {
	if c := t.held("OnOwnThread"); c != nil {
		c.propsOf().bind(nil, true, request{})
		t.sys.store.SetFlags(t.ev.Node(), graphevent.Pinned)
	}
	return t
}

func (c *cold) hasOwnThread() bool { return c.special.Load() && c.props.Load().own.Load() }

func (s *System) startOwnThread(n graphevent.Node) {
	s.runners.Add(1)
	s.kern.Enter()
	s.startGoroutine(false, func() string { return "the thread of " + s.nameOf(s.store.Event(n)) },
		func() { s.ownThread(n) })
	s.turns.Yield()
}

func (s *System) ownThread(n graphevent.Node) {
	defer s.leave()
	runtime.LockOSThread() // for ever: the thread ends with the goroutine
	w := s.newWaiter(s.mode)
	defer s.waiters[min(s.mode, 1)].Push(w)
	w.wait.GID.Store(0) // see knowGoroutine
	r := &runner{sys: s, alone: w, kind: ownThreadRunner}
	r.takeLane(trace.LaneThread, "thread of a task")
	defer r.leaveLane()
	if s.turns != nil {
		s.turns.Current().SetName(r.describe)
	}
	defer s.kern.Leave()
	defer r.leaveLookout()
	if s.store.Claim(n, nil) {
		r.nested(n)
	}
}
