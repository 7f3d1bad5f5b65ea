package namedthread

// RunFirst runs the first piece of work posted to q that match accepts, in the order in which a pump takes them, and reports
// whether there was one. All other work stays where it is and keeps its order. So the condition of a [Thread.Wait]
// runs what it waits for, and nothing else, where only the entry in the queue tells that it is there.
//
// match is asked for pieces in that order, of which it accepts at most one, and must not use the thread. A call takes as long as there are pieces before
// the one that it finds. Work that panics or calls runtime.Goexit does what it does in a pump. Like the wait around it
// RunFirst goes on after Quit.
//
// RunFirst panics if q is no queue, if match is nil, or if the caller is found to be another thread.
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

// takeFirst removes the first item of q, in the order of take, that match accepts. The items before it move up by
// one: nothing is left in its place.
func (b *inbox) takeFirst(q Queue, match func(Runnable, uint64) bool) (it item, ok bool) {
	for p := range b.lanes[q] {
		l := &b.lanes[q][p]
		if !l.mail.Empty() {
			b.moves++
			l.fetch()
		}
		for i := l.next; i < len(l.batch); i++ {
			it := l.batch[i]
			if !match(it.what, it.token) {
				continue
			}
			b.moves++
			copy(l.batch[l.next+1:i+1], l.batch[l.next:i])
			l.batch[l.next] = item{}
			l.next++
			return it, true
		}
	}
	return item{}, false
}

// fetch appends to what was fetched what has come since. The memory of what is done is used again.
func (l *lane) fetch() {
	if l.next > len(l.batch)/2 {
		n := copy(l.batch, l.batch[l.next:])
		clear(l.batch[n:])
		l.batch, l.next = l.batch[:n], 0
	}
	l.batch = l.mail.PopAll(l.batch)
}
