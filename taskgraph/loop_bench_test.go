package taskgraph_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// BenchmarkShortLoops runs a loop that is too short to be shared by ParallelFor and by RunLoop, and
// calls the body of each by itself, all by turns. It reports medians: nanoseconds of a body by
// itself, and how many times as long the loop takes. An element takes about half a nanosecond.
func BenchmarkShortLoops(b *testing.B) {
	s := start(b, taskgraph.Options{Workers: 2})
	for _, n := range []int{100, 300, 1000, 3000} {
		x, y := make([]float32, n), make([]float32, n)
		saxpy := saxpyOf(x, y)
		body := func(_ *taskgraph.Participant, lo, hi int) error { saxpy(lo, hi); return nil }
		b.Run(fmt.Sprint("outside/n=", n), func(b *testing.B) {
			shortLoops(b, n,
				func() { saxpy(0, n) }, func() { must(b, s.ParallelFor(n, 0, saxpy)) },
				func() { must(b, body(nil, 0, n)) }, func() {
					must(b, s.RunLoop(taskgraph.Loop{N: n, Body: body}))
				})
		})
		b.Run(fmt.Sprint("inside/n=", n), func(b *testing.B) {
			run(b, s, func(c *taskgraph.Context) error {
				shortLoops(b, n,
					func() { saxpy(0, n) }, func() { must(b, c.ParallelFor(n, 0, saxpy)) },
					func() { must(b, body(nil, 0, n)) }, func() {
						must(b, c.RunLoop(taskgraph.Loop{N: n, Body: body}))
					})
				return nil
			})
		})
	}
}

// saxpyOf returns a body that is not inlined into the loops that call it.
//
//go:noinline
func saxpyOf(x, y []float32) func(lo, hi int) {
	return func(lo, hi int) {
		from, to := x[lo:hi], y[lo:hi]
		for i, v := range from {
			to[i] += 1.5 * v
		}
	}
}

func shortLoops(b *testing.B, n int, plain, parallelFor, body, runLoop func()) {
	ways := []struct {
		name  string
		call  func()
		times []time.Duration
	}{{name: "plain", call: plain}, {name: "for", call: parallelFor}, {name: "body", call: body},
		{name: "loop", call: runLoop}}
	calls := 40_000 / n // so many that reading the clock is nothing
	for b.Loop() {
		for i := range ways {
			w := &ways[i]
			t := time.Now()
			for range calls {
				w.call()
			}
			w.times = append(w.times, time.Since(t))
		}
	}
	median := func(i int) float64 {
		slices.Sort(ways[i].times)
		return float64(ways[i].times[len(ways[i].times)/2]) / float64(calls)
	}
	for i := 0; i < len(ways); i += 2 {
		b.ReportMetric(median(i), ways[i].name+"-ns")
		b.ReportMetric(median(i+1)/median(i), ways[i+1].name+"-x-serial")
	}
	b.ReportMetric(0, "ns/op")
}
