package namedthread

// RunFirst runs the first piece of work posted to q that match accepts, in the order in which a
// pump takes them, and reports whether there was one. All other work stays where it is and keeps
// its order. So the condition of a [Thread.Wait] can run the work for which it waits, and nothing
// else, even if only the queue knows that it is there.
//
// match is called for pieces in that order, until it accepts one, and must not use the thread. The
// time of a call grows with the number of pieces before the one that it finds. Work that panics or
// calls runtime.Goexit does what it does in a pump. Like the wait around it RunFirst still works
// after Quit.
//
// RunFirst panics if q is no queue, if match is nil, or if the caller is found to be another
// thread.
func (t *Thread) RunFirst(q Queue, match func(what Runnable, token uint64) bool) (ran bool) {
	t.mustBe("RunFirst")
	q.check()
	if match == nil {
		panic("namedthread: RunFirst with a nil function")
	}
	t.mustOwn("RunFirst")
	return t.runFirst(q, match)
}

func (t *Thread) runFirst(q Queue, match func(Runnable, uint64) bool) (ran bool) {
	it, ok := t.inbox.takeFirst(q, match)
	if !ok {
		return false
	}
	t.depth++ // so that a pump in the work is not the outermost one
	defer t.leaveWait(false)
	t.guarded(it)
	return true
}

// takeFirst removes the first item of q, in the order of take, that match accepts. The items before
// it move up by one to fill its place.
func (b *inbox) takeFirst(q Queue, match func(Runnable, uint64) bool) (it item, ok bool) {
	work := &b.queues[q]
	for p := range work.fetched {
		f := &work.fetched[p]
		if !work.Empty(p) {
			b.moves++
			f.makeRoom()
			f.items = work.PopAll(p, f.items)
		}
		for i := f.next; i < len(f.items); i++ {
			it := f.items[i]
			if !match(it.what, it.token) {
				continue
			}
			b.moves++
			copy(f.items[f.next+1:i+1], f.items[f.next:i])
			f.items[f.next] = item{}
			f.next++
			return it, true
		}
	}
	return item{}, false
}

// makeRoom makes the memory of done items available again.
func (f *batch) makeRoom() {
	if f.next > len(f.items)/2 {
		n := copy(f.items, f.items[f.next:])
		clear(f.items[n:])
		f.items, f.next = f.items[:n], 0
	}
}
