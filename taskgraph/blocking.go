package taskgraph

// DefaultMaxBlocking is how many bodies may be inside [Context.Blocking] at a time and have
// their workers stood in for, unless Options.MaxBlocking says otherwise.
const DefaultMaxBlocking = 256

// Blocking calls f, which may block for long in what the system cannot see: a channel, a mutex,
// a system call. Meanwhile another runner stands in for the body's worker; afterwards the body
// takes the next worker that comes to the end of a task, so that the number of bodies that
// compute stays that of the workers. Without Blocking the system needs a few milliseconds to
// notice.
//
// Beyond Options.MaxBlocking bodies f is called all the same, with nobody standing in, and
// Stats counts it. On a named thread and on a thread of its own, f is simply called.
//
// Inside f, the Context launches tasks and waits for events, but it does not fork.
func (c *Context) Blocking(f func()) {
	r, s := c.r, c.r.sys
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
		s.waiters[min(s.mode, 1)].Push(w)
		s.blocking.Leave()
	}()
	f()
}

// outOfSlot calls f on a named thread that gives its slot back meanwhile.
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
func (r *runner) detach(w *waiter) {
	r.flush()
	r.o.running = false
	r.detached, r.Runner, r.detachedAt = r.Runner, nil, r.depth
	r.o, r.alone = nil, w
	r.detached.Detach()
}

func (r *runner) attach() {
	r.detached.Attach()
	r.Runner, r.detached = r.detached, nil
	r.alone, r.o = nil, ownerOf(r.Slot())
	r.o.running = true
}
