package namedthread

// Wait waits until cond returns true. It is for code that the thread runs, inside a pump or
// outside, and it is not a pump: work that is posted meanwhile is not run under the waiter but
// stays where it is, for the next pump. Work that is bound to this thread, and for which cond
// waits, cond itself must do.
//
// cond is called at least once, and again after each Post to either queue, each
// [Thread.Wake], and whenever work was taken from a queue inside cond; it may also be called
// for no reason. In between the thread sleeps. So whoever makes the condition true calls Wake
// afterwards; but a cond that returns false must have looked after everything that it did
// itself. Quit does not end a Wait.
//
// A Wait that names the local queue also runs the work of that queue, between calls of cond,
// unless the local queue is being pumped by a caller or the thread was told to quit. A piece
// of work of the main queue so gets done what it has posted to the local one. For the main
// queue there is no such thing.
//
// Wait panics if q is no queue, if cond is nil, or if the caller is found to be another thread.
func (t *Thread) Wait(q Queue, cond func() bool) {
	t.mustBe("Wait")
	q.check()
	if cond == nil {
		panic("namedthread: Wait for a nil condition")
	}
	t.mustOwn("Wait")
	t.await(q, cond)
}

func (t *Thread) await(q Queue, cond func() bool) {
	local := q == QueueLocal && !t.pumping[QueueLocal]
	t.depth++
	if local {
		t.pumping[QueueLocal] = true
	}
	defer t.leaveWait(local)

	b := &t.inbox
	wakes, moves, came := b.wakes.Load(), b.moves, b.marks()
	for !cond() {
		if local && !b.closed() {
			if it, ok := b.take(QueueLocal); ok {
				t.guarded(it)
			}
		}
		// If any of this has changed since before cond, something may have happened that cond has
		// not seen: a Wake whose signal another wait inside cond took, a post that was taken, by a
		// pump inside cond or just now, or a post that is still there.
		if b.moves == moves && b.stall(bothQueues, &came) {
			if b.wakes.Load() == wakes {
				b.sleep()
			}
			b.unstall()
		}
		wakes, moves, came = b.wakes.Load(), b.moves, b.marks()
	}
}

// leaveWait undoes the marks of Wait, however that ends.
func (t *Thread) leaveWait(local bool) {
	t.depth--
	if local {
		t.pumping[QueueLocal] = false
	}
}

// guarded runs one piece of work in a frame of its own that recovers.
func (t *Thread) guarded(it item) {
	clean := false
	defer t.catch(&clean)
	it.what.RunOn(t, it.token)
	clean = true
}
