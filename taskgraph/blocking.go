package taskgraph

import (
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// Blocking calls f, which may block for long in what the system cannot see: a channel, a mutex, a
// system call. Another runner stands in for the body's worker meanwhile, but not beyond
// Options.MaxBlocking bodies, nor on a named thread or one of the task's own. Without it the system
// needs some milliseconds to notice. Inside f the Context launches and waits, but does not fork.
func (c *Context) Blocking(f func()) {
	r, s := c.r, c.r.sys
	if r.lane != nil {
		r.lane.Put(flight.Blocked, c.key())
		defer r.lane.Put(flight.BlockedEnd, c.key())
	}
	switch {
	case !r.onSlot():
		f()
		return
	case r.onThread():
		r.named.outOfSlot(f)
		return
	}
	if !s.blocking.TryTake() {
		s.blockedOver.Add(1)
		f()
		return
	}
	w := s.newWaiter(s.mode)
	s.kern.Enter() // the body is not idle
	r.detach(w)
	defer func() {
		r.attach()
		s.kern.Leave()
		w.Free()
		s.blocking.Leave()
	}()
	f()
}

func (r *threadRunner) outOfSlot(f func()) {
	before, at, uncounted := r.detached, r.detachedAt, r.count()
	r.detach(nil)
	defer func() {
		r.attach()
		r.uncount(uncounted)
		r.detached, r.detachedAt = before, at
	}()
	f()
}

// detach gives the slot of r away. Until attach, r is like the thread of a single task.
func (r *runner) detach(w *waits.Waiter) {
	r.flush()
	r.o.running = false
	r.detached, r.Runner, r.detachedAt = r.Runner, nil, r.depth
	r.o, r.alone = nil, w
	r.detached.Detach()
}

func (r *runner) attach() {
	r.detached.Attach()
	r.Runner, r.detached = r.detached, nil
	r.alone = nil
	r.hold()
	r.o.running = true
}
