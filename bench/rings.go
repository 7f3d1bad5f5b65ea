package main

import (
	"runtime"
	"sync"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/heddle-go/heddle/lockfree"
)

// ringSize is the capacity of each bounded queue.
const ringSize = 1024

// ringTables compare bounded queues.
func ringTables() []*table {
	var all []*table
	for _, s := range shapes {
		t := &table{
			name:      "ring/" + s.name,
			title:     "bounded queue of 1024: " + s.describe(),
			reference: "lockfree.Ring",
			metrics:   pushPop,
		}
		t.rows = append(t.rows,
			piped("lockfree.Ring", s, heddleRingPipe),
			piped("channel", s, chanPipe(ringSize)),
			piped("mutex ring", s, mutexRingPipe),
			piped("xsync.MPMCQueue", s, xsyncRingPipe),
		)
		if s.peers <= 1 {
			t.rows = append(t.rows,
				piped("lockfree.SPSCRing", s, heddleSPSCPipe),
				piped("xsync.SPSCQueue", s, xsyncSPSCPipe),
			)
		}
		for _, peer := range []nativePeer{vyukovRing, tbbBounded} {
			t.rows = append(t.rows, peer.counted(s.name))
		}
		all = append(all, t)
	}
	return all
}

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
