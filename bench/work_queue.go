package main

import (
	"container/list"
	"runtime"
	"sync"
)

// bigBuffer is the channel that stands in for an unbounded one.
const bigBuffer = 1 << 16

// queueWorkloads send values through queues without a bound.
func queueWorkloads(z sizes) []*workload {
	var all []*workload
	for _, c := range crowds {
		w := pipeWorkload("queue", "64-bit numbers through a queue without a bound", c,
			z.of(1_000_000))
		w.piped(heddle, c, heddleQueuePipe)
		w.piped("heddle-index", c, heddleIndexQueuePipe) // of 32 bits
		if c.peers <= 1 {
			w.piped("heddle-spsc", c, heddleSPSCQueuePipe)
		}
		w.lscq(c)
		w.piped("mutex", c, mutexSlicePipe)
		w.piped("mutex-list", c, mutexListPipe)
		w.piped("channel", c, chanPipe(bigBuffer))
		if c.peers <= 1 {
			w.piped("xsync-umpsc", c, xsyncUMPSCPipe)
		}
		w.pipedCPP(moodyTokens, c, "tokens")
		w.pipedCPP(moody, c, "plain")
		w.pipedCPP(tbb, c, "queue")
		all = append(all, w)
	}
	return all
}

// mutexSlice appends at the end and moves its head; the space before the head is used again
// when the queue has run empty.
type mutexSlice struct {
	mu    sync.Mutex
	items []uint64
	head  int
}

func (q *mutexSlice) push(v uint64) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
}

func (q *mutexSlice) pop() (v uint64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == len(q.items) {
		return 0, false
	}
	v = q.items[q.head]
	q.head++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return v, true
}

func mutexSlicePipe() pipe {
	q := new(mutexSlice)
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.push(i)
				v, _ := q.pop()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				q.push(uint64(from) + i)
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.pop()
				for !ok {
					runtime.Gosched()
					v, ok = q.pop()
				}
				sum += v
			}
			return sum
		},
	}
}

type mutexList struct {
	mu    sync.Mutex
	items list.List
}

func (q *mutexList) push(v uint64) {
	q.mu.Lock()
	q.items.PushBack(v)
	q.mu.Unlock()
}

func (q *mutexList) pop() (v uint64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.items.Front(); e != nil {
		return q.items.Remove(e).(uint64), true
	}
	return 0, false
}

func mutexListPipe() pipe {
	q := new(mutexList)
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.push(i)
				v, _ := q.pop()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				q.push(uint64(from) + i)
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.pop()
				for !ok {
					runtime.Gosched()
					v, ok = q.pop()
				}
				sum += v
			}
			return sum
		},
	}
}
