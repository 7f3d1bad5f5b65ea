package namedthread

// A ring is a queue for one goroutine, first in, first out. The zero ring is empty. It keeps
// the room of its longest state; popped places are cleared.
type ring struct {
	items []item // length 0 or a power of two
	head  int
	count int
}

func (r *ring) len() int { return r.count }

func (r *ring) push(it item) {
	if r.count == len(r.items) {
		grown := make([]item, max(16, 2*r.count))
		n := copy(grown, r.items[r.head:])
		copy(grown[n:], r.items[:r.head])
		r.items, r.head = grown, 0
	}
	r.items[(r.head+r.count)&(len(r.items)-1)] = it
	r.count++
}

func (r *ring) pop() (item, bool) {
	if r.count == 0 {
		return item{}, false
	}
	it := r.items[r.head]
	r.items[r.head] = item{}
	r.head = (r.head + 1) & (len(r.items) - 1)
	r.count--
	return it, true
}
