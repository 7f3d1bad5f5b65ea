package assets

import "github.com/heddle-go/heddle/internal/atomics"

// A crew is the servers of a lane: tasks that take the flights that wait in its queue, the most
// urgent first. There are as many as may be at work at a time, not one for each flight.
//
//	C1 Who is at work has entered, and serving is at most limit: it grows by a compare-and-swap
//	   that looks.
//	C2 A flight is pushed before call looks who is at work, or is called and has not come: if
//	   those are fewer than limit, where a call counts only if it is no less urgent than the
//	   flight, one more is called.
//	C3 A server that comes is no longer counted as called before it enters. If it cannot, limit
//	   others are at work.
//	C4 A server that leaves lowers serving and then looks at the queue; if a flight is there, it
//	   calls.
//
// So no flight is left. The push of it comes before the look of C2. If that counts a server that is
// called, that one comes later, and takes the flight, or finds it taken, or finds limit at work
// (C3). And who is at work at any time after the push leaves later, and looks then (C4).
type crew struct {
	limit   int32
	queue   urgent
	serving atomics.Int32
	called  [ranks]atomics.Int32 // by the rank of the call
	launch  func(rank uint32)    // has serve be called, once, soon
}

// push puts a flight into the queue, perhaps not for the first time: C2.
func (c *crew) push(f *flight, number uint64) { c.call(c.queue.push(f, number)) }

// call sees to it that somebody comes for a flight of that rank: C2.
func (c *crew) call(rank uint32) {
	n := c.serving.Load()
	for r := range rank + 1 {
		n += c.called[r].Load()
	}
	if n < c.limit {
		c.called[rank].Add(1)
		c.launch(rank)
	}
}

// come is for a server that was called: it reports whether that is at work now. C3.
func (c *crew) come(rank uint32) bool {
	c.called[rank].Add(-1)
	return c.enter()
}

// enter reports whether the caller is at work now: C1.
func (c *crew) enter() bool {
	for {
		n := c.serving.Load()
		if n >= c.limit {
			return false
		}
		if c.serving.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave is for who is at work: C4.
func (c *crew) leave() {
	c.serving.Add(-1)
	if rank, ok := c.queue.first(); ok {
		c.call(rank)
	}
}
