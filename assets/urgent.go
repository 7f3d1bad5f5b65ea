package assets

import "github.com/heddle-go/heddle/lockfree"

// An urgent is flights that wait, the most urgent ones first, and of one priority those that have
// begun first: what was begun takes memory, and others may wait for it. Else they come in the order
// in which they came.
//
//	Q1 A flight waits under an odd number, which is used once. It is pushed after it has that
//	   number, into the queue of the priority that it has then; and when its priority rises, who
//	   raised it reads the number afterwards and pushes it again if that is odd. So one of the two
//	   pushes it into the queue of the higher priority.
//	Q2 Of all its tickets one is taken: by a compare-and-swap from that number.
type urgent struct {
	queues [2 * ranks]lockfree.Queue[ticket]
}

// A ticket is what lies in a queue: it is void if the flight has gone on since.
type ticket struct {
	f      *flight
	number uint64
}

func (t ticket) void() bool { return t.f == nil || t.f.number.Load() != t.number }

// push puts a flight into the queue of its priority, and returns the rank of that.
func (u *urgent) push(f *flight, number uint64) (rank uint32) {
	rank = f.it.life.urgency.Load() // Q1
	at := 2 * rank
	if !f.begun.Load() {
		at++
	}
	u.queues[at].Push(ticket{f, number})
	return rank
}

// take returns the most urgent flight that waits, or nil.
func (u *urgent) take() *flight {
	for r := range u.queues {
		for t := range u.queues[r].Drain() {
			if t.f.claim(t.number) { // Q2
				return t.f
			}
		}
	}
	return nil
}

// first returns the rank of the most urgent flight that seems to wait.
func (u *urgent) first() (rank uint32, ok bool) {
	for r := range u.queues {
		if !u.queues[r].Empty() {
			return uint32(r / 2), true
		}
	}
	return 0, false
}

// pressing reports whether somebody more urgent than a flight, or as urgent, seems to wait.
func (u *urgent) pressing(f *flight, orAs bool) bool {
	rank, ok := u.first()
	own := f.it.life.urgency.Load()
	return ok && (rank < own || orAs && rank == own)
}
