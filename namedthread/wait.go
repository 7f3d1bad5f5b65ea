package namedthread

// Wait waits until cond returns true. It is for code that the thread runs, inside a pump or
// outside, and it is not a pump: work that is posted meanwhile is not run under the waiter
// but set aside, and the next pump runs it first, in the order it would have had. What cond
// waits for, and is bound to this thread, cond itself must do.
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
// Wait panics if q is no queue, if cond is nil, or if the caller is another goroutine.
func (t *Thread) Wait(q Queue, cond func() bool) {
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
	wakes, moves := b.wakes.Load(), b.moves
	for !cond() {
		t.makeWay(local)
		// If either count has moved since before cond, something happened that cond may
		// not have seen: a Wake whose signal another wait inside cond took, or a post
		// that was popped, by such a wait, by a pump or just now.
		if b.moves == moves && b.stall(bothQueues) {
			if b.wakes.Load() == wakes {
				b.sleep()
			}
			b.unstall(bothQueues)
			t.makeWay(local)
		}
		wakes, moves = b.wakes.Load(), b.moves
	}
}

// makeWay sets aside what is in the queues, so that the thread can stall. If local is set, it
// runs a piece of work of the local queue instead of setting those aside.
func (t *Thread) makeWay(local bool) {
	b := &t.inbox
	b.sweep(QueueMain)
	if !local || b.closed.Load() {
		b.sweep(QueueLocal)
	} else if it, ok := b.take(QueueLocal); ok {
		t.guarded(it)
	}
}

// leaveWait undoes what Wait marked, however it ends.
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
