package counts

import "github.com/heddle-go/heddle/internal/atomics"

// An IdleCount counts things that have not ended, and triggers events, given by their numbers, when
// there are none. The zero value is ready. Any goroutine may call its methods. Whoever counts a
// thing up counts it down when it has ended.
//
// What was done before a Done synchronizes before the trigger of every event that was given out
// before the count that this Done brings to zero.
//
// # Progress
//
// Lock-free; Add and Load are wait-free.
type IdleCount struct {
	//	I1 whoever triggers an event has taken it out of the list, and then read the count as
	//	   zero.
	//	I2 whoever leaves an event in the list then reads the count, and whoever brings the count
	//	   to zero then looks at the list.
	//	I3 a record is in the list, or is the spare one, or belongs to one goroutine.
	n     atomics.Int64
	list  atomics.Pointer[idleEvent] // nil: nobody asked, or a goroutine has taken the list
	spare atomics.Pointer[idleEvent] // one that is not in use, or nil
}

// An idleEvent is the record of an event that somebody has asked for. The list has more than one
// only after a putBack.
type idleEvent struct {
	event atomics.Uint64 // atomic: a late reader may still have the record from the list
	older *idleEvent     // changed only by whoever has taken the list
}

// Add counts k up.
func (c *IdleCount) Add(k int64) { c.n.Add(k) }

// Load returns the count.
func (c *IdleCount) Load() int64 { return c.n.Load() }

// Done counts k down, and triggers the events if the count is then zero.
func (c *IdleCount) Done(k int64, trigger func(uint64)) {
	if c.n.Add(-k) == 0 && c.list.Load() != nil { // LP(Done)
		c.end(trigger)
	}
}

// end triggers the events if the count is zero. It may be late: since the count was zero somebody
// may have counted up and asked for an event.
func (c *IdleCount) end(trigger func(uint64)) {
	for {
		first := c.list.Swap(nil) // I4
		if first == nil {
			return
		}
		if c.n.Load() == 0 { // I5
			for e := first; e != nil; {
				event, older := e.event.Load(), e.older
				c.spare.Store(e)
				trigger(event)
				e = older
			}
			return
		}
		c.putBack(first) // I6
		if c.n.Load() != 0 {
			return
		}
	}
}

// putBack puts a list back in front of the records added since.
func (c *IdleCount) putBack(first *idleEvent) {
	last := first
	for last.older != nil {
		last = last.older
	}
	for {
		last.older = c.list.Load()
		if c.list.CompareAndSwap(last.older, first) {
			return
		}
	}
}

// Event returns an event that is triggered when the count is zero, perhaps one that fresh returns;
// if that one is not needed after all it is triggered. Event reports false if the count is zero.
func (c *IdleCount) Event(fresh func() uint64, trigger func(uint64)) (event uint64, ok bool) {
	for c.n.Load() != 0 {
		if e := c.list.Load(); e != nil {
			event = e.event.Load()
		} else {
			if e = c.spare.Swap(nil); e == nil {
				e = new(idleEvent)
			}
			event = fresh()
			e.event.Store(event)
			if e.older = nil; !c.list.CompareAndSwap(nil, e) { // I7
				c.spare.Store(e)
				trigger(event)
				continue
			}
		}
		if c.n.Load() == 0 { // I8
			c.end(trigger)
		}
		return event, true
	}
	return 0, false
}
