package kernel

import "github.com/heddle-go/heddle/internal/atomics"

// An IdleCount counts what has not ended, and has events of type E for when that is nothing. The zero value is ready. Any
// goroutine may call its methods. Whoever counts something up counts it down once it has ended.
//
// What was done before a Done synchronizes before the trigger of every event that was given out before the count
// that this Done brings to zero.
//
// # Progress
//
// Lock-free; Add and Load are wait-free.
type IdleCount[E any] struct {
	//	I1 an event is triggered by one who has taken it out of the list, and then read the count as zero.
	//	I2 who leaves an event in the list reads the count after that, and who brings the count to zero looks at
	//	   the list after that.
	n    atomics.Int64
	list atomics.Pointer[idleEvent[E]] // nil: nobody asked, or somebody is at it
}

// An idleEvent is one that somebody has asked for. There is more than one only if some were put back.
type idleEvent[E any] struct {
	event E
	older *idleEvent[E] // changed by who has taken the list
}

// Add counts k up.
func (c *IdleCount[E]) Add(k int64) { c.n.Add(k) }

// Load returns the count.
func (c *IdleCount[E]) Load() int64 { return c.n.Load() }

// Done counts k down, and triggers the events if that is the end.
func (c *IdleCount[E]) Done(k int64, trigger func(E)) {
	if c.n.Add(-k) == 0 && c.list.Load() != nil { // LP(Done)
		c.end(trigger)
	}
}

// end triggers the events if the count is zero. Whoever brought it to zero may be late: meanwhile somebody may have counted
// up, and asked for an event.
func (c *IdleCount[E]) end(trigger func(E)) {
	for {
		first := c.list.Swap(nil)
		if first == nil {
			return
		}
		if c.n.Load() == 0 {
			for e := first; e != nil; e = e.older {
				trigger(e.event)
			}
			return
		}
		c.putBack(first)
		if c.n.Load() != 0 {
			return
		}
	}
}

// putBack puts a list back in front of what has come since.
func (c *IdleCount[E]) putBack(first *idleEvent[E]) {
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

// Event returns an event that is triggered when the count is zero, which may be one that fresh returns; one that
// is not needed is triggered. It reports false if the count is zero.
func (c *IdleCount[E]) Event(fresh func() E, trigger func(E)) (event E, ok bool) {
	for c.n.Load() != 0 {
		e := c.list.Load()
		if e == nil {
			e = &idleEvent[E]{event: fresh()}
			if !c.list.CompareAndSwap(nil, e) {
				trigger(e.event)
				continue
			}
		}
		if c.n.Load() == 0 {
			c.end(trigger)
		}
		return e.event, true
	}
	return event, false
}
