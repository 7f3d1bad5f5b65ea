package main

import (
	"runtime"

	"github.com/heddle-go/heddle/lockfree"
)

func heddleRingPipe() pipe {
	q := lockfree.NewRing[uint64](ringSize)
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.TryPush(i)
				v, _ := q.TryPop()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				for !q.TryPush(uint64(from) + i) {
					runtime.Gosched()
				}
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.TryPop()
				for !ok {
					runtime.Gosched()
					v, ok = q.TryPop()
				}
				sum += v
			}
			return sum
		},
	}
}

func heddleSPSCPipe() pipe {
	q := lockfree.NewSPSCRing[uint64](ringSize)
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.TryPush(i)
				v, _ := q.TryPop()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				for !q.TryPush(uint64(from) + i) {
					runtime.Gosched()
				}
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.TryPop()
				for !ok {
					runtime.Gosched()
					v, ok = q.TryPop()
				}
				sum += v
			}
			return sum
		},
	}
}

func heddleQueuePipe() pipe {
	q := new(lockfree.Queue[uint64])
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.Push(i)
				v, _ := q.Pop()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				q.Push(uint64(from) + i)
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.Pop()
				for !ok {
					runtime.Gosched()
					v, ok = q.Pop()
				}
				sum += v
			}
			return sum
		},
	}
}

func heddleIndexQueuePipe() pipe {
	q := new(lockfree.IndexQueue[uint32])
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint32(n) {
				q.Push(i)
				v, _ := q.Pop()
				sum += uint64(v)
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint32(n) {
				q.Push(uint32(from) + i)
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.Pop()
				for !ok {
					runtime.Gosched()
					v, ok = q.Pop()
				}
				sum += uint64(v)
			}
			return sum
		},
	}
}

func heddleSPSCQueuePipe() pipe {
	q := new(lockfree.SPSCQueue[uint64])
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.Push(i)
				v, _ := q.Pop()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				q.Push(uint64(from) + i)
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.Pop()
				for !ok {
					runtime.Gosched()
					v, ok = q.Pop()
				}
				sum += v
			}
			return sum
		},
	}
}
