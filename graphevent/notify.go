package graphevent

// Notify arranges that f is called once, after all events have completed, by the goroutine that
// completes the last of them. f must not block, panic or end its goroutine, as of
// [Event.OnComplete]. It returns false, and f will not be called, if all are complete already. c
// may be nil. It does not mark failures as seen. It panics if f is nil or if there are more than
// MaxEdges events.
func (s *Store) Notify(c *Cache, f func(), events ...Event) bool {
	if f == nil {
		panic("graphevent: Notify with a nil function")
	}
	if len(events) > MaxEdges {
		panic("graphevent: Notify of more than 2^22-1 events")
	}
	n := s.Acquire(c)
	nd := s.at(n)
	s.sides.Grow(uint32(n)).call = f
	gen := nd.generation()
	nd.ctl.Store(gen<<genShift | notify | setUpLock)
	var edges uint64
	for i, e := range events {
		if s.addEdge(n, uint32(i), e) {
			edges++
		}
	}
	if nd.ctl.Add(^(setUpLock-edges)+1)&countMask != 0 {
		return true
	}
	s.drop(n, c)
	return false
}

// OnComplete arranges that f is called once, with the failure of the event or nil, when the event
// completes: by the goroutine that completes it, in the order of registration among all that is
// registered on the event. It returns false if the event is complete already; then f is not called.
//
// What was done before the event was completed happens before the call. f must not block: it delays
// what was registered after it, and everything else that the completion releases. It must not panic
// or end its goroutine (runtime.Goexit, as testing.T.FailNow does) either: the rest of the list
// would never be released, and what waits for it would hang. Events that f completes are completed
// inside f, on the same stack. A failure given to f counts as seen. It panics if f is nil.
//
// Registering allocates nothing, except perhaps the closure f. The store keeps a node, and f with
// what it refers to, until the event completes.
func (e Event) OnComplete(f func(err error)) bool {
	if f == nil {
		panic("graphevent: OnComplete with a nil function")
	}
	if e.IsComplete() {
		return false
	}
	s := e.store
	n := s.Acquire(nil)
	s.sides.Grow(uint32(n)).callWith = f
	return s.callAfter(n, e)
}

// callAfter registers n, a notify node just acquired, on e alone. It reports whether e was
// incomplete; if not, n is free.
func (s *Store) callAfter(n Node, e Event) bool {
	nd := s.at(n)
	// One edge, counted before it is registered.
	nd.ctl.Store(nd.generation()<<genShift | notify | 1)
	if e.head().TryPush(e.gen(), uint32(n)<<2, &nd.next[0]) {
		return true
	}
	s.drop(n, nil)
	return false
}

// call runs the function of a notify node, to which nothing else refers any more, or wakes its
// waiter, or takes the foreign edge that it represents off its owner. It returns todo, with the
// owner if this completes it.
func (s *Store) call(n Node, c *Cache, todo worklist) worklist {
	sd := s.sides.At(uint32(n))
	if f := sd.call; f != nil {
		s.drop(n, c)
		f()
		return todo
	}
	var o *outcome
	if s.at(n).ctl.Load()&failed != 0 {
		o = sd.cause.Load()
	}
	f, edge, w := sd.callWith, sd.foreign, sd.wait
	s.drop(n, c)
	switch {
	case edge != nil:
		return edge.release(o, todo)
	case w != nil:
		w.end(o)
	case o == nil:
		f(nil)
	default:
		f(o.see())
	}
	return todo
}

// drop recycles a notify node. No Event names it, so its generation may stay.
func (s *Store) drop(n Node, c *Cache) {
	sd := s.sides.At(uint32(n))
	sd.call, sd.callWith, sd.foreign, sd.wait = nil, nil, nil, nil
	if s.at(n).ctl.Load()&failed != 0 {
		sd.cause.Store(nil)
	}
	s.recycle(n, s.at(n), c)
}
