package main

import (
	"fmt"
	"time"
)

// A looper calls body for ranges that together cover [0, n).
type looper struct {
	loop  func(n int, body func(lo, hi int)) error
	close func() error // nil if there is nothing to close

	// within, if not nil, takes the place of loop: it runs f at a place where loop may be called.
	within func(f func(loop func(n int, body func(lo, hi int)) error) error) error
}

// A loopPeer is a runtime that has one.
type loopPeer struct {
	runtime string
	free    bool
	open    func(workers int) (looper, error)
}

var loopPeers = []loopPeer{
	{runtime: heddle, open: heddleLoop},
	{runtime: "serial", open: serialLoop},
	{runtime: "goroutines", free: true, open: goroutineLoop},
	{runtime: "channel-workers", open: channelLoop},
	{runtime: "errgroup", free: true, open: errgroupLoop},
	{runtime: "conc", free: true, open: concLoop},
}

// parforWorkloads add one array to another, in a loop small enough not to be worth sharing and
// in one that is bound by the memory.
func parforWorkloads(z sizes) []*workload {
	const calls = 100 // of the small loop, in a pass
	small := parforWorkload("parfor-1e3", "a loop over few elements: y += a*x for 32-bit floats", "ns/call", 1000, calls, calls)
	n := z.of(10_000_000)
	large := parforWorkload("parfor-1e7", "a loop over many elements: y += a*x for 32-bit floats", "ns/element", n, n, 1)
	return []*workload{small, large}
}

// parforWorkload is a loop over n elements; a pass has so many units, in so many calls.
func parforWorkload(name, title, unit string, n, units, calls int) *workload {
	w := &workload{name: name, title: title, unit: unit, n: n}
	for _, p := range loopPeers {
		w.rows = append(w.rows, p.row(n, units, calls))
	}
	job := func(kind string) func(s *session, workers int) (string, error) {
		return func(s *session, workers int) (string, error) {
			return fmt.Sprintf("%s workers=%d n=%d calls=%d turn=%d", kind, workers, n, calls, s.turn/time.Nanosecond), nil
		}
	}
	w.rows = append(w.rows,
		cppSerial.row(units, job("parfor")),
		tbb.row(units, job("parfor")),
		tbbStatic.row(units, job("parfor-static")),
		openmp.row(units, job("parfor")))
	return w
}

// row is the peer's row. Each call adds 1 to every element, so that in the end all have the
// number of calls.
func (p loopPeer) row(n, units, calls int) row {
	return row{runtime: p.runtime, lang: langGo, free: p.free, turn: func(s *session, workers int) (reading, error) {
		with, err := p.open(workers)
		if err != nil {
			return reading{}, err
		}
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i] = 0.5
		}
		const a = 2
		body := func(lo, hi int) {
			xs, ys := x[lo:hi], y[lo:hi]
			for i := range xs {
				ys[i] += a * xs[i]
			}
		}
		done := 0
		r, err := s.passes(units, func() error {
			for range calls {
				if err := with.loop(n, body); err != nil {
					return err
				}
			}
			done += calls
			return nil
		})
		if err != nil {
			return reading{}, err
		}
		const exact = 1 << 24 // up to here 32-bit floats count
		want := float32(min(done, exact))
		for i, got := range y {
			if got != want {
				return reading{}, fmt.Errorf("element %d is %v after %d calls", i, got, done)
			}
		}
		if with.close != nil {
			err = with.close()
		}
		return r, err
	}}
}

func heddleLoop(workers int) (looper, error) {
	h := startHeddle(workers)
	return looper{
		loop:  func(n int, body func(lo, hi int)) error { return h.sys.ParallelFor(n, 0, body) },
		close: h.close,
	}, nil
}

// serialLoop is the loop by itself.
func serialLoop(int) (looper, error) {
	return looper{loop: func(n int, body func(lo, hi int)) error { body(0, n); return nil }}, nil
}
