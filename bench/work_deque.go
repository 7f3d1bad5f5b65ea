package main

import (
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// A stealable is a work-stealing deque under test, used by one goroutine at a time.
type stealable struct {
	fill    func(n int)              // push 0 to n-1
	pushPop func(n int) (sum uint64) // push and pop n values in turn, starting with 0
	steal   func(n int) (sum uint64) // steal n values
}

// stealBatch is how many values are pushed before as many are stolen.
const stealBatch = 1024

// dequeWorkloads use work-stealing deques from one goroutine.
func dequeWorkloads(z sizes) []*workload {
	n := z.of(1_000_000)
	pushPop := &workload{name: "deque-pushpop",
		title: "a work-stealing deque: the owner pushes and pops in turn, 8 values below",
		unit:  "ns/push+pop", n: n, fixed: 1}
	pushPop.stealables(func(d stealable) (time.Duration, uint64) {
		d.fill(8)
		start := atomics.Now()
		sum := d.pushPop(n)
		return time.Duration(atomics.Now() - start), sum
	})
	steal := &workload{name: "deque-steal",
		title: "a work-stealing deque: steals from a deque of 1024 values that no other goroutine uses",
		unit:  "ns/steal", n: n, fixed: 1}
	steal.stealables(func(d stealable) (took time.Duration, sum uint64) {
		for done := 0; done < n; done += stealBatch {
			batch := min(stealBatch, n-done)
			d.fill(batch)
			start := atomics.Now()
			got := d.steal(batch)
			took += time.Duration(atomics.Now() - start)
			sum += got + uint64(done)*uint64(batch) // as if numbered on from done
		}
		return took, sum
	})
	return []*workload{pushPop, steal}
}

// stealables adds the rows. A pass returns the sum that n values from 0 have.
func (w *workload) stealables(pass func(d stealable) (time.Duration, uint64)) {
	for _, p := range []struct {
		runtime string
		open    func() stealable
	}{{heddle, heddleDeque}, {"heddle-pointers", heddlePointerDeque}, {"mutex", mutexStealable}} {
		w.rows = append(w.rows, goRow(p.runtime, func(s *session, _ int) (reading, error) {
			return s.clocked(w.n, func() (time.Duration, error) {
				took, sum := pass(p.open())
				return took, checkSum(sum, w.n)
			})
		}))
	}
	w.rows = append(w.rows, chaseLev.row(w.n, plainJob(w.name, w.n)))
}

func heddleDeque() stealable {
	d := new(lockfree.Deque[uint64])
	return stealable{
		fill: func(n int) {
			for i := range uint64(n) {
				d.Push(i)
			}
		},
		pushPop: func(n int) (sum uint64) {
			for i := range uint64(n) {
				d.Push(i)
				v, _ := d.Pop()
				sum += v
			}
			return sum
		},
		steal: func(n int) (sum uint64) {
			for range n {
				v, _ := d.Steal()
				sum += v
			}
			return sum
		},
	}
}

// heddlePointerDeque pushes pointers to stealBatch numbers that exist beforehand.
func heddlePointerDeque() stealable {
	d := new(lockfree.PointerDeque[uint64])
	numbers := make([]uint64, stealBatch)
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	return stealable{
		fill: func(n int) {
			for i := range n {
				d.Push(&numbers[i])
			}
		},
		pushPop: func(n int) (sum uint64) {
			for i := range n {
				d.Push(&numbers[i%stealBatch])
				if v, ok := d.Pop(); ok {
					sum += *v
				}
			}
			// The numbers begin again after each batch; add what the others are larger by.
			for done := stealBatch; done < n; done += stealBatch {
				sum += uint64(done) * uint64(min(stealBatch, n-done))
			}
			return sum
		},
		steal: func(n int) (sum uint64) {
			for range n {
				if v, r := d.Steal(); r == lockfree.StealOK {
					sum += *v
				}
			}
			return sum
		},
	}
}

// mutexDeque is a deque as one would write it without a library.
type mutexDeque struct {
	mu        sync.Mutex
	top, size int // the oldest value, how many there are
	slots     []uint64
}

func (d *mutexDeque) push(v uint64) {
	d.mu.Lock()
	if d.size == len(d.slots) {
		grown := make([]uint64, max(16, 2*len(d.slots)))
		for i := range d.size {
			grown[i] = d.slots[(d.top+i)&(len(d.slots)-1)]
		}
		d.slots, d.top = grown, 0
	}
	d.slots[(d.top+d.size)&(len(d.slots)-1)] = v
	d.size++
	d.mu.Unlock()
}

func (d *mutexDeque) pop() (v uint64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.size == 0 {
		return 0, false
	}
	d.size--
	return d.slots[(d.top+d.size)&(len(d.slots)-1)], true
}

func (d *mutexDeque) steal() (v uint64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.size == 0 {
		return 0, false
	}
	v = d.slots[d.top]
	d.top = (d.top + 1) & (len(d.slots) - 1)
	d.size--
	return v, true
}

func mutexStealable() stealable {
	d := new(mutexDeque)
	return stealable{
		fill: func(n int) {
			for i := range uint64(n) {
				d.push(i)
			}
		},
		pushPop: func(n int) (sum uint64) {
			for i := range uint64(n) {
				d.push(i)
				v, _ := d.pop()
				sum += v
			}
			return sum
		},
		steal: func(n int) (sum uint64) {
			for range n {
				v, _ := d.steal()
				sum += v
			}
			return sum
		},
	}
}
