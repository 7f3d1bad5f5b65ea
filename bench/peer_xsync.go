package main

import (
	"runtime"

	"github.com/puzpuzpuz/xsync/v4"
)

func xsyncRingPipe() pipe {
	q := xsync.NewMPMCQueue[uint64](ringSize)
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.TryEnqueue(i)
				v, _ := q.TryDequeue()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				for !q.TryEnqueue(uint64(from) + i) {
					runtime.Gosched()
				}
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.TryDequeue()
				for !ok {
					runtime.Gosched()
					v, ok = q.TryDequeue()
				}
				sum += v
			}
			return sum
		},
	}
}

func xsyncSPSCPipe() pipe {
	q := xsync.NewSPSCQueue[uint64](ringSize)
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.TryEnqueue(i)
				v, _ := q.TryDequeue()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				for !q.TryEnqueue(uint64(from) + i) {
					runtime.Gosched()
				}
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.TryDequeue()
				for !ok {
					runtime.Gosched()
					v, ok = q.TryDequeue()
				}
				sum += v
			}
			return sum
		},
	}
}

// xsyncUMPSCPipe has one consumer, whose Dequeue waits by itself.
func xsyncUMPSCPipe() pipe {
	q := xsync.NewUMPSCQueue[uint64]()
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.Enqueue(i)
				sum += q.Dequeue()
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				q.Enqueue(uint64(from) + i)
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				sum += q.Dequeue()
			}
			return sum
		},
	}
}
