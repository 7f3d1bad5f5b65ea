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

// A crowd says how many goroutines work at a pipe; with no peers one does both.
type crowd struct {
	name  string
	peers int // producers, and as many consumers
}

var crowds = []crowd{{"same", 0}, {"1p1c", 1}, {"2p2c", 2}, {"4p4c", 4}}

// workers returns how many threads there are.
func (c crowd) workers() int { return max(1, 2*c.peers) }

func (c crowd) describe() string {
	switch c.peers {
	case 0:
		return "one goroutine pushes and pops in turn"
	case 1:
		return "1 producer, 1 consumer"
	}
	return fmt.Sprintf("%d producers, %d consumers", c.peers, c.peers)
}

// pipeWorkload is a workload of a crowd without rows.
func pipeWorkload(kind, title string, c crowd, n int) *workload {
	return &workload{name: kind + "-" + c.name, title: title + ": " + c.describe(),
		unit: "ns/push+pop", n: n, fixed: c.workers()}
}

// piped adds the row of a pipe.
func (w *workload) piped(runtime string, c crowd, open func() pipe) {
	w.rows = append(w.rows, goRow(runtime, func(s *session, _ int) (reading, error) {
		return s.clocked(w.n, func() (time.Duration, error) {
			took, sum := c.run(open(), w.n)
			return took, checkSum(sum, w.n)
		})
	}))
}

// pipedCPP adds the row of a queue in C++.
func (w *workload) pipedCPP(p cppPeer, c crowd, kind string) {
	w.rows = append(w.rows, p.row(w.n, func(s *session, _ int) (string, error) {
		return fmt.Sprintf("%s peers=%d n=%d turn=%d", kind, c.peers, w.n,
			s.turn/time.Nanosecond), nil
	}))
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
func (c crowd) run(p pipe, n int) (took time.Duration, sum uint64) {
	if c.peers == 0 {
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
	for i := range c.peers {
		from, to := n*i/c.peers, n*(i+1)/c.peers
		start(func() { p.produce(from, to-from) })
		start(func() { total.Add(p.consume(to - from)) })
	}
	for ready.Load() != int32(2*c.peers) {
		runtime.Gosched()
	}
	began := atomics.Now()
	last.Store(began)
	begin.Store(true)
	wg.Wait()
	return time.Duration(last.Load() - began), total.Load()
}
