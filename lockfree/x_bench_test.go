package lockfree_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/lockfree"
)

func BenchmarkDeque(b *testing.B) {
	b.Run("pushpop", func(b *testing.B) {
		var d lockfree.Deque[uint64]
		for i := range b.N {
			d.Push(uint64(i))
			d.Pop()
		}
	})
	b.Run("pushpop/below8", func(b *testing.B) {
		var d lockfree.Deque[uint64]
		for i := range uint64(8) {
			d.Push(i)
		}
		for i := range b.N {
			d.Push(uint64(i))
			d.Pop()
		}
	})
	b.Run("pop/empty", func(b *testing.B) {
		var d lockfree.Deque[uint64]
		d.Push(1)
		d.Pop()
		for range b.N {
			d.Pop()
		}
	})
	b.Run("pushsteal", func(b *testing.B) {
		var d lockfree.Deque[uint64]
		for i := range b.N {
			d.Push(uint64(i))
			d.Steal()
		}
	})
	b.Run("steal", func(b *testing.B) {
		var d lockfree.Deque[uint64]
		for i := range uint64(b.N) {
			d.Push(i)
		}
		b.ResetTimer()
		for range b.N {
			d.Steal()
		}
	})
	b.Run("stealN", func(b *testing.B) { // an element
		var d lockfree.Deque[uint64]
		for i := range uint64(b.N) {
			d.Push(i)
		}
		var buf [64]uint64
		b.ResetTimer()
		for left := b.N; left > 0; {
			n, _ := d.StealN(buf[:])
			left -= n
		}
	})
}

// The two calls of an unordered container, for the benchmarks that all share.
type pushPopper interface {
	Push(v uint64)
	Pop() (uint64, bool)
}

// benchShared runs the concurrent cases on which queues are compared. One operation is a value
// that was pushed and popped. The cases of one goroutine stand with each type, since calls
// through a type parameter would cost as much as what they measure.
func benchShared[Q pushPopper](b *testing.B, newQueue func() Q) {
	for _, peers := range []int{1, 2, 4} {
		b.Run(map[int]string{1: "1P1C", 2: "2P2C", 4: "4P4C"}[peers], func(b *testing.B) {
			q := newQueue()
			var wg sync.WaitGroup
			for p := range peers {
				n := (b.N + p) / peers
				wg.Go(func() {
					for i := range n {
						q.Push(uint64(i))
					}
				})
				wg.Go(func() {
					for i := 0; i < n; {
						if _, ok := q.Pop(); ok {
							i++
						} else {
							runtime.Gosched()
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

func BenchmarkQueue(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		var q lockfree.Queue[uint64]
		for i := range b.N {
			q.Push(uint64(i))
			q.Pop()
		}
	})
	b.Run("alone/batch100", func(b *testing.B) {
		var q lockfree.Queue[uint64]
		for n := 0; n < b.N; n += 100 {
			for i := range 100 {
				q.Push(uint64(i))
			}
			for range 100 {
				q.Pop()
			}
		}
	})
	benchShared(b, func() *lockfree.Queue[uint64] { return new(lockfree.Queue[uint64]) })
}

// wide makes a pushPopper of an IndexQueue.
type wide struct{ lockfree.IndexQueue[uint32] }

func (q *wide) Push(v uint64)       { q.IndexQueue.Push(uint32(v)) }
func (q *wide) Pop() (uint64, bool) { v, ok := q.IndexQueue.Pop(); return uint64(v), ok }

func BenchmarkIndexQueue(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		var q lockfree.IndexQueue[uint32]
		for i := range b.N {
			q.Push(uint32(i))
			q.Pop()
		}
	})
	b.Run("alone/batch100", func(b *testing.B) {
		var q lockfree.IndexQueue[uint32]
		for n := 0; n < b.N; n += 100 {
			for i := range 100 {
				q.Push(uint32(i))
			}
			for range 100 {
				q.Pop()
			}
		}
	})
	benchShared(b, func() *wide { return new(wide) })
}

func BenchmarkStack(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		var q lockfree.Stack[uint64]
		for i := range b.N {
			q.Push(uint64(i))
			q.Pop()
		}
	})
	b.Run("alone/batch100", func(b *testing.B) {
		var q lockfree.Stack[uint64]
		for n := 0; n < b.N; n += 100 {
			for i := range 100 {
				q.Push(uint64(i))
			}
			for range 100 {
				q.Pop()
			}
		}
	})
	benchShared(b, func() *lockfree.Stack[uint64] { return new(lockfree.Stack[uint64]) })
}

// levelled pushes to one level of three.
type levelled struct {
	*lockfree.PriorityQueue[uint64]
}

func (q levelled) Push(v uint64) { q.PriorityQueue.Push(v, 1) }

func BenchmarkPriorityQueue(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		q := lockfree.NewPriorityQueue[uint64](3)
		for i := range b.N {
			q.Push(uint64(i), 1)
			q.Pop()
		}
	})
	b.Run("alone/batch100", func(b *testing.B) {
		q := lockfree.NewPriorityQueue[uint64](3)
		for n := 0; n < b.N; n += 100 {
			for i := range 100 {
				q.Push(uint64(i), 1)
			}
			for range 100 {
				q.Pop()
			}
		}
	})
	benchShared(b, func() levelled { return levelled{lockfree.NewPriorityQueue[uint64](3)} })
}

func BenchmarkStallingQueue(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("same/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			var q lockfree.StallingQueue[[5]uint64]
			buf := make([][5]uint64, 0, n)
			for i := range b.N {
				q.Push([5]uint64{uint64(i)}, 1)
				if i%n == n-1 {
					buf = q.PopAll(1, buf[:0])
				}
			}
		})
	}
	for _, producers := range []int{1, 4} {
		b.Run(fmt.Sprintf("%dp1c", producers), func(b *testing.B) {
			b.ReportAllocs()
			var q lockfree.StallingQueue[[5]uint64]
			for p := range producers {
				go func() {
					for i := p; i < b.N; i += producers {
						q.Push([5]uint64{uint64(i)}, 1)
					}
				}()
			}
			var buf [][5]uint64
			for got := 0; got < b.N; got += len(buf) {
				buf = q.PopAll(1, buf[:0])
				if len(buf) == 0 {
					runtime.Gosched()
				}
			}
		})
	}
}

func BenchmarkClosableList(b *testing.B) {
	b.Run("push", func(b *testing.B) {
		b.ReportAllocs()
		var l lockfree.ClosableList[uint64]
		for i := range b.N {
			if i%(1<<20) == 0 {
				l = lockfree.ClosableList[uint64]{}
			}
			l.TryPush(uint64(i))
		}
	})
	b.Run("use/3", func(b *testing.B) {
		b.ReportAllocs()
		var buf [3]uint64
		for range b.N {
			var l lockfree.ClosableList[uint64]
			l.TryPush(1)
			l.TryPush(2)
			l.TryPush(3)
			l.Close(buf[:0])
		}
	})
}

// ringAsQueue waits for room, as a program would that has nothing else to do.
type ringAsQueue struct {
	*lockfree.Ring[uint64]
}

func (r ringAsQueue) Push(v uint64) {
	for !r.TryPush(v) {
		runtime.Gosched()
	}
}

func (r ringAsQueue) Pop() (uint64, bool) { return r.TryPop() }

func BenchmarkRing(b *testing.B) {
	const capacity = 1024
	b.Run("alone", func(b *testing.B) {
		r := lockfree.NewRing[uint64](capacity)
		for i := range b.N {
			r.TryPush(uint64(i))
			r.TryPop()
		}
	})
	b.Run("alone/batch100", func(b *testing.B) {
		r := lockfree.NewRing[uint64](capacity)
		for n := 0; n < b.N; n += 100 {
			for i := range 100 {
				r.TryPush(uint64(i))
			}
			for range 100 {
				r.TryPop()
			}
		}
	})
	benchShared(b, func() ringAsQueue { return ringAsQueue{lockfree.NewRing[uint64](capacity)} })
}

// spscRingAsQueue waits for room.
type spscRingAsQueue struct {
	*lockfree.SPSCRing[uint64]
}

func (r spscRingAsQueue) Push(v uint64) {
	for !r.TryPush(v) {
		runtime.Gosched()
	}
}

func (r spscRingAsQueue) Pop() (uint64, bool) { return r.TryPop() }

// benchPair is the case of benchShared for one producer and one consumer.
func benchPair[Q pushPopper](b *testing.B, q Q) {
	b.Run("1P1C", func(b *testing.B) {
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range b.N {
				q.Push(uint64(i))
			}
		})
		for i := 0; i < b.N; {
			if _, ok := q.Pop(); ok {
				i++
			} else {
				runtime.Gosched()
			}
		}
		wg.Wait()
	})
}

func BenchmarkSPSCRing(b *testing.B) {
	const capacity = 1024
	b.Run("alone", func(b *testing.B) {
		r := lockfree.NewSPSCRing[uint64](capacity)
		for i := range b.N {
			r.TryPush(uint64(i))
			r.TryPop()
		}
	})
	benchPair(b, spscRingAsQueue{lockfree.NewSPSCRing[uint64](capacity)})
}

func BenchmarkSPSCQueue(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		var q lockfree.SPSCQueue[uint64]
		for i := range b.N {
			q.Push(uint64(i))
			q.Pop()
		}
	})
	benchPair(b, new(lockfree.SPSCQueue[uint64]))
}

func BenchmarkPointerDeque(b *testing.B) {
	var x int
	b.Run("pushpop", func(b *testing.B) {
		var d lockfree.PointerDeque[int]
		for range b.N {
			d.Push(&x)
			d.Pop()
		}
	})
	b.Run("pushpop/below8", func(b *testing.B) {
		var d lockfree.PointerDeque[int]
		for range 8 {
			d.Push(&x)
		}
		for range b.N {
			d.Push(&x)
			d.Pop()
		}
	})
	b.Run("pushsteal", func(b *testing.B) {
		var d lockfree.PointerDeque[int]
		for range b.N {
			d.Push(&x)
			d.Steal()
		}
	})
}

// BenchmarkBatch compares the batch operations with loops of single ones; one operation is a
// value that was pushed and popped.
func BenchmarkBatch(b *testing.B) {
	const n = 16
	vs, buf := make([]uint64, n), make([]uint64, n)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i += n {
				f()
			}
		})
	}
	var q lockfree.Queue[uint64]
	run("Queue/push", func() {
		for _, v := range vs {
			q.Push(v)
		}
		q.PopN(buf)
	})
	run("Queue/pop", func() {
		q.PushAll(vs)
		for range n {
			q.Pop()
		}
	})
	run("Queue/single", func() {
		for _, v := range vs {
			q.Push(v)
		}
		for range n {
			q.Pop()
		}
	})
	run("Queue/batch", func() {
		q.PushAll(vs)
		q.PopN(buf)
	})
	var iq lockfree.IndexQueue[uint32]
	is, ibuf := make([]uint32, n), make([]uint32, n)
	run("IndexQueue/single", func() {
		for _, v := range is {
			iq.Push(v)
		}
		for range n {
			iq.Pop()
		}
	})
	run("IndexQueue/batch", func() {
		iq.PushAll(is)
		iq.PopN(ibuf)
	})
	r := lockfree.NewRing[uint64](1024)
	run("Ring/single", func() {
		for _, v := range vs {
			r.TryPush(v)
		}
		for range n {
			r.TryPop()
		}
	})
	run("Ring/batch", func() {
		r.TryPushN(vs)
		r.TryPopN(buf)
	})
	var s lockfree.Stack[uint64]
	run("Stack/single", func() {
		for _, v := range vs {
			s.Push(v)
		}
		for range n {
			s.Pop()
		}
	})
	run("Stack/batch", func() {
		s.PushAll(vs)
		for range n {
			s.Pop()
		}
	})
	var d lockfree.Deque[uint64]
	run("Deque/single", func() {
		for _, v := range vs {
			d.Push(v)
		}
		for range n {
			d.Pop()
		}
	})
	run("Deque/batch", func() {
		d.PushAll(vs)
		for range n {
			d.Pop()
		}
	})
	sr := lockfree.NewSPSCRing[uint64](1024)
	run("SPSCRing/single", func() {
		for _, v := range vs {
			sr.TryPush(v)
		}
		for range n {
			sr.TryPop()
		}
	})
	run("SPSCRing/batch", func() {
		sr.TryPushN(vs)
		sr.TryPopN(buf)
	})
	var sq lockfree.SPSCQueue[uint64]
	run("SPSCQueue/single", func() {
		for _, v := range vs {
			sq.Push(v)
		}
		for range n {
			sq.Pop()
		}
	})
	run("SPSCQueue/batch", func() {
		sq.PushAll(vs)
		sq.PopN(buf)
	})
}

func BenchmarkClosableHead(b *testing.B) {
	b.Run("use/3", func(b *testing.B) {
		var h lockfree.ClosableHead
		var links [4]uint32
		next := func(link uint32) *uint32 { return &links[link] }
		for i := range b.N {
			gen := uint32(i)
			for link := range uint32(3) {
				h.TryPush(gen, link+1, next(link+1))
			}
			list, _ := h.Next(gen)
			for link := lockfree.ReverseLinks(list, next); link != 0; link = links[link] {
			}
		}
	})
}
