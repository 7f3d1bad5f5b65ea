package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A pipe is a queue under test. The loops are written out for each kind, since a call
// through an interface or a type parameter costs as much as what is measured.
//
// A try that fails is repeated after a yield: the threads may be more than the cores.
type pipe struct {
	same    func(n int) (sum uint64) // push and pop n values in turn, starting with 0
	produce func(from, n int)        // push n values, starting with from
	consume func(n int) (sum uint64) // pop n values
}

// A shape says how many goroutines work at a pipe; with no peers one does both.
type shape struct {
	name  string
	peers int // producers, and as many consumers
}

var shapes = []shape{{"same", 0}, {"1P1C", 1}, {"2P2C", 2}, {"4P4C", 4}}

var pushPop = []metric{{"time", "ns/push+pop"}}

func (s shape) describe() string {
	if s.peers == 0 {
		return "one goroutine pushes and pops in turn"
	}
	if s.peers == 1 {
		return "1 producer, 1 consumer"
	}
	return fmt.Sprintf("%d producers, %d consumers", s.peers, s.peers)
}

// piped is the row of a pipe.
func piped(name string, s shape, open func() pipe) row {
	return counted(name, func(n int) (time.Duration, error) {
		took, sum := s.run(open(), n)
		return took, checkSum(sum, n)
	})
}

// checkSum compares the sum of what was popped with the sum of what was pushed.
func checkSum(sum uint64, n int) error {
	if want := uint64(n) * uint64(n-1) / 2; sum != want {
		return fmt.Errorf("popped values add up to %d, pushed ones to %d", sum, want)
	}
	return nil
}

// run sends n values through the pipe. The time is from the moment when all goroutines, which
// are running by then, are let go, to the end of the last one.
func (s shape) run(p pipe, n int) (took time.Duration, sum uint64) {
	if s.peers == 0 {
		start := atomics.Now()
		sum = p.same(n)
		return time.Duration(atomics.Now() - start), sum
	}
	var (
		ready atomics.Int32
		begin atomics.Bool
		total atomics.Uint64
		last  atomics.Int64
		wg    sync.WaitGroup
	)
	start := func(f func()) {
		wg.Go(func() {
			ready.Add(1)
			for !begin.Load() {
				runtime.Gosched()
			}
			f()
			for end := atomics.Now(); ; {
				seen := last.Load()
				if seen >= end || last.CompareAndSwap(seen, end) {
					return
				}
			}
		})
	}
	for i := range s.peers {
		from, to := n*i/s.peers, n*(i+1)/s.peers
		start(func() { p.produce(from, to-from) })
		start(func() { total.Add(p.consume(to - from)) })
	}
	for ready.Load() != int32(2*s.peers) {
		runtime.Gosched()
	}
	began := atomics.Now()
	last.Store(began)
	begin.Store(true)
	wg.Wait()
	return time.Duration(last.Load() - began), total.Load()
}
