package assets

import (
	"github.com/heddle-go/heddle/assets/internal/turn"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A budget hands out bytes, of which there are so many. Those that ask for more than are free wait:
// the most urgent ones first, in the order in which they asked, and nobody overtakes.
//
//	W1 used is at most max: it grows by a compare-and-swap that looks.
//	W2 Who waits has nothing, and who has something gives it back without waiting for more. So if
//	   anybody waits, either there are bytes out, which come back, or all are free and enough.
//	W3 Who begins to wait counts himself and then looks at used, in serve; who gives back lowers
//	   used and then looks at waiting. One of the two sees the other, so serve is called when the
//	   first of the queue can have its bytes.
type budget struct {
	max     int64
	used    atomics.Int64
	most    atomics.Int64 // that used ever was
	waiting atomics.Int64
	queue   urgent
	heads   [2 * ranks]ticket // taken out of the queues and still waiting; of the turn
	turn    *turn.Turn[struct{}]
	granted func(*flight)
}

func (b *budget) init(sys *taskgraph.System, bytes int64, granted func(*flight)) {
	b.max, b.granted = bytes, granted
	serve := taskgraph.Do(func() { b.turn.Drain() })
	b.turn = turn.New(func(struct{}) { b.serve() },
		func() { sys.Task(serve).Priority(taskgraph.PriorityHigh).Launch() })
}

// try takes n bytes if they are free.
func (b *budget) try(n int64) bool {
	for {
		used := b.used.Load()
		if n > b.max-used {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) { // W1
			for most := b.most.Load(); most < used+n && !b.most.CompareAndSwap(most, used+n); {
				most = b.most.Load()
			}
			return true
		}
	}
}

// ask takes f.need bytes for a flight that has none and reports true, or has granted called when
// they are free.
func (b *budget) ask(f *flight) bool {
	if b.waiting.Load() == 0 && b.try(f.need) {
		f.has = f.need
		return true
	}
	f.lane.Store(nil)
	b.waiting.Add(1) // W3
	b.push(f, f.number.Add(1))
	return false
}

// push puts a flight into the queue, perhaps not for the first time.
func (b *budget) push(f *flight, number uint64) {
	b.queue.push(f, number)
	b.turn.Put(struct{}{})
}

// give gives back what a flight has.
func (b *budget) give(f *flight) {
	if f.has == 0 {
		return
	}
	b.used.Add(-f.has)
	f.has = 0
	if b.waiting.Load() > 0 { // W3
		b.turn.Put(struct{}{})
	}
}

// serve gives bytes to those who wait, as long as the first of them can have what it needs.
func (b *budget) serve() {
	for {
		p := b.first()
		if p == nil || !b.try(p.f.need) {
			return
		}
		if !p.f.claim(p.number) {
			b.used.Add(-p.f.need) // never: only the turn claims what waits here
			continue
		}
		p.f.has = p.f.need
		f := p.f
		*p = ticket{}
		b.waiting.Add(-1)
		b.granted(f)
	}
}

// first returns who comes first, or nil.
func (b *budget) first() *ticket {
	for r := range b.heads {
		h := &b.heads[r]
		for {
			if !h.void() {
				return h
			}
			var ok bool
			if *h, ok = b.queue.queues[r].Pop(); !ok {
				break
			}
		}
	}
	return nil
}
