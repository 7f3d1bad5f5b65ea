package main

import (
	"container/list"
	"runtime"
	"sync"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/heddle-go/heddle/lockfree"
)

// bigBuffer is the channel that stands in for an unbounded one.
const bigBuffer = 1 << 16

// lscqName is the row of a queue that needs assembly, and so is not there everywhere.
const lscqName = "lscq.Uint64Queue"

// queueTables compare queues without a bound.
func queueTables() []*table {
	var all []*table
	for _, s := range shapes {
		t := &table{
			name:      "queue/" + s.name,
			title:     "unbounded queue: " + s.describe(),
			reference: "lockfree.Queue",
			metrics:   pushPop,
			rows: []row{
				piped("lockfree.Queue", s, heddleQueuePipe),
				lscqRow(s),
				piped("mutex slice", s, mutexSlicePipe),
				piped("mutex list", s, mutexListPipe),
				piped("channel of 65536", s, chanPipe(bigBuffer)),
			},
		}
		if s.peers <= 1 {
			t.rows = append(t.rows,
				piped("lockfree.SPSCQueue", s, heddleSPSCQueuePipe),
				piped("xsync.UMPSCQueue", s, xsyncUMPSCPipe),
			)
		}
		for _, peer := range []nativePeer{moodyTokens, moody, tbbQueue} {
			t.rows = append(t.rows, peer.counted(s.name))
		}
		all = append(all, t)
	}
	return all
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
