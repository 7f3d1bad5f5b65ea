package taskgraph_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A tracedStep is a step of so many tasks or calls, which are made for a system once.
type tracedStep struct {
	name string
	n    int
	of   func(sys *taskgraph.System) func() error
}

func stepOfGraph(name string, n int, body func(i int) func(), after func(i int) []int) tracedStep {
	return tracedStep{name, n, func(sys *taskgraph.System) func() error {
		var gb taskgraph.GraphBuilder
		tasks := make([]taskgraph.GraphTask, n)
		for i := range tasks {
			tasks[i] = gb.Task(taskgraph.Do(body(i)))
			for _, p := range after(i) {
				tasks[i].After(tasks[p])
			}
		}
		g, err := gb.Build()
		return func() error {
			if err != nil {
				return err
			}
			return sys.RunGraph(bg, g)
		}
	}}
}

func stepOfBody(name string, n int, body func(c *taskgraph.Context, g *taskgraph.Group) error,
) tracedStep {
	return tracedStep{name, n, func(sys *taskgraph.System) func() error {
		g := sys.NewGroup()
		run := taskgraph.Run(func(c *taskgraph.Context) error { return body(c, g) })
		return func() error { return sys.Run(bg, run) }
	}}
}

func stepOfCalls(name string, n int, f func()) tracedStep {
	return stepOfBody(name, n, func(c *taskgraph.Context, g *taskgraph.Group) error {
		for range n {
			g.Go(c, f)
		}
		return g.Wait(c)
	})
}

// xorshift computes for so many turns, and returns what it has come to.
func xorshift(turns int) uint64 {
	x := uint64(88172645463325252)
	for range turns {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// computing returns a body that computes for so many turns.
func computing(turns float64) func() {
	return func() { runtime.KeepAlive(xorshift(int(turns))) }
}

// turnsOf returns how many turns of xorshift take a microsecond.
func turnsOf() float64 {
	best := time.Duration(1 << 62)
	const n = 20000
	for range 50 {
		began := time.Now()
		computing(n)()
		best = min(best, time.Since(began))
	}
	return n / (float64(best) / 1e3)
}

func tracedSteps() []tracedStep {
	const uneven = 200
	random := rand.New(rand.NewPCG(18, 64))
	after, weight, sum := make([][]int, uneven), make([]int, uneven), 0
	for i := range uneven {
		for range min(i, 1+random.IntN(3)) {
			p := max(0, i-24) + random.IntN(min(i, 24))
			if i >= 8 && !slices.Contains(after[i], p) {
				after[i] = append(after[i], p)
			}
		}
		weight[i] = 1 + random.IntN(8)*random.IntN(8)
		sum += weight[i]
	}
	us := turnsOf()
	empty := func(int) func() { return func() {} }
	steps := []tracedStep{
		stepOfGraph("chain", 1024, empty, func(i int) []int { return []int{i - 1}[:min(i, 1)] }),
		stepOfGraph("grid", 4096, empty, func(i int) (after []int) {
			if i%64 != 0 {
				after = append(after, i-1)
			}
			if i >= 64 {
				after = append(after, i-64)
			}
			return after
		}),
	}
	for _, all := range []int{20, 100, 300} {
		steps = append(steps, stepOfGraph(fmt.Sprintf("uneven-%dus", all), uneven,
			func(i int) func() { return computing(us * float64(all*weight[i]) / float64(sum)) },
			func(i int) []int { return after[i] }))
	}
	return append(steps,
		stepOfCalls("calls-20us", 8, computing(us*20/8)),
		stepOfCalls("calls", 1000, func() {}),
		stepOfBody("tasks", 500, func(c *taskgraph.Context, _ *taskgraph.Group) error {
			var events [500]taskgraph.Event
			for i := range events {
				events[i] = c.Go(func() {})
			}
			return c.Wait(events[:]...)
		}))
}

// BenchmarkTraceCost is what recording takes, of steps by turns on a system without a recorder, on
// one with, and on another without, which says how far to trust the ratio. An iteration is 10 ms of
// each.
func BenchmarkTraceCost(b *testing.B) {
	for _, step := range tracedSteps() {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", step.name, workers), func(b *testing.B) {
				benchmarkTraceCost(b, step, workers)
			})
		}
	}
}

func benchmarkTraceCost(b *testing.B, step tracedStep, workers int) {
	var run [3]func() error
	for i := range run {
		opts := taskgraph.Options{Workers: workers}
		if i == 1 {
			opts.Trace = trace.New(trace.Options{})
		}
		sys := taskgraph.Start(opts)
		defer func() {
			if err := sys.Shutdown(context.Background()); err != nil {
				b.Error(err)
			}
		}()
		run[i] = step.of(sys)
		medianOf(b, run[i], 100*time.Millisecond)
	}
	var took [3][]float64
	for turn := 0; b.Loop(); turn++ {
		for k := range run {
			i := (turn + k) % len(run)
			took[i] = append(took[i], medianOf(b, run[i], 10*time.Millisecond))
		}
	}
	ratio := func(i int) float64 {
		var all []float64
		for k := range took[i] {
			all = append(all, took[i][k]/took[0][k])
		}
		return median(all)
	}
	off := median(took[0])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(off/1e3, "off-µs")
	b.ReportMetric(ratio(1), "on/off")
	b.ReportMetric(ratio(2), "off/off")
	b.ReportMetric((median(took[1])-off)/float64(step.n), "ns/task")
}

// medianOf runs a step for so long, and returns the median of its nanoseconds.
func medianOf(b *testing.B, run func() error, length time.Duration) float64 {
	var all []float64
	for began := time.Now(); time.Since(began) < length; {
		t := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		all = append(all, float64(time.Since(t)))
	}
	return median(all)
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
