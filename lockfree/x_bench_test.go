package lockfree_test

import (
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
	b.Run("alone", func(b *testing.B) {
		q := lockfree.NewStallingQueue[uint64](2, 1)
		for i := range b.N {
			q.Push(uint64(i), 1)
			q.Pop(0, false)
		}
	})
	b.Run("stalled", func(b *testing.B) {
		q := lockfree.NewStallingQueue[uint64](2, 1)
		for i := range b.N {
			q.Pop(0, true)
			q.Push(uint64(i), 1)
			q.Pop(0, false)
		}
	})
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
