package main

import (
	"runtime"
	"sync"
)

// ringSize is the capacity of each bounded queue.
const ringSize = 1024

// ringWorkloads send values through bounded queues.
func ringWorkloads(z sizes) []*workload {
	var all []*workload
	for _, c := range crowds {
		w := pipeWorkload("ring", "64-bit numbers through a queue that holds 1024", c,
			z.of(1_000_000))
		w.piped(heddle, c, heddleRingPipe)
		if c.peers <= 1 {
			w.piped("heddle-spsc", c, heddleSPSCPipe)
		}
		w.piped("channel", c, chanPipe(ringSize))
		w.piped("mutex", c, mutexRingPipe)
		w.piped("xsync", c, xsyncRingPipe)
		if c.peers <= 1 {
			w.piped("xsync-spsc", c, xsyncSPSCPipe)
		}
		w.pipedCPP(vyukovRing, c, "ring")
		w.pipedCPP(tbb, c, "bounded")
		all = append(all, w)
	}
	return all
}

func chanPipe(size int) func() pipe {
	return func() pipe {
		c := make(chan uint64, size)
		return pipe{
			same: func(n int) (sum uint64) {
				for i := range uint64(n) {
					c <- i
					sum += <-c
				}
				return sum
			},
			produce: func(from, n int) {
				for i := range uint64(n) {
					c <- uint64(from) + i
				}
			},
			consume: func(n int) (sum uint64) {
				for range n {
					sum += <-c
				}
				return sum
			},
		}
	}
}

// mutexRing is the queue that one would write without a library.
type mutexRing struct {
	mu         sync.Mutex
	head, tail uint64
	slots      [ringSize]uint64
}

func (q *mutexRing) tryPush(v uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tail-q.head == ringSize {
		return false
	}
	q.slots[q.tail%ringSize] = v
	q.tail++
	return true
}

func (q *mutexRing) tryPop() (v uint64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == q.tail {
		return 0, false
	}
	v = q.slots[q.head%ringSize]
	q.head++
	return v, true
}

func mutexRingPipe() pipe {
	q := new(mutexRing)
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.tryPush(i)
				v, _ := q.tryPop()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				for !q.tryPush(uint64(from) + i) {
					runtime.Gosched()
				}
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.tryPop()
				for !ok {
					runtime.Gosched()
					v, ok = q.tryPop()
				}
				sum += v
			}
			return sum
		},
	}
}
