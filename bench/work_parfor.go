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
	small := parforWorkload("parfor-1e3", "a loop over few elements: y += a*x for 32-bit floats",
		"ns/call", 1000, calls, calls)
	n := z.of(10_000_000)
	large := parforWorkload("parfor-1e7", "a loop over many elements: y += a*x for 32-bit floats",
		"ns/element", n, n, 1)
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
			return fmt.Sprintf("%s workers=%d n=%d calls=%d turn=%d", kind, workers, n, calls,
				s.turn/time.Nanosecond), nil
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
	return row{runtime: p.runtime, lang: langGo, free: p.free,
		turn: func(s *session, workers int) (reading, error) {
			with, err := p.open(workers)
			if err != nil {
				return reading{}, err
			}
			x, y := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i] = 0.5
			}
			body := func(lo, hi int) { axpy(y[lo:hi], x[lo:hi]) }
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

// axpy adds 2*x to y, eight elements a step as in C++: a loop of seven instructions takes up to
// twice as long where its code lies across two lines of the cache, and the linker's choice would
// decide the row.
func axpy(y, x []float32) {
	n := len(x) &^ 7
	for i := 0; i < n; i += 8 {
		ys, xs := (*[8]float32)(y[i:]), (*[8]float32)(x[i:])
		ys[0] += 2 * xs[0]
		ys[1] += 2 * xs[1]
		ys[2] += 2 * xs[2]
		ys[3] += 2 * xs[3]
		ys[4] += 2 * xs[4]
		ys[5] += 2 * xs[5]
		ys[6] += 2 * xs[6]
		ys[7] += 2 * xs[7]
	}
	for i := n; i < len(x); i++ {
		y[i] += 2 * x[i]
	}
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
