package main

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// nobody stands for a program without sleeping workers.
const nobody = "no workers"

// besides are the ways whose sleeping workers may be felt by the rest of the program.
var besides = []way{condWay, groupOS, twoPhase, groupGo, chanWay, futexWay}

func startTable() *table {
	t := &table{
		name:      "wake/start",
		title:     "start an ordinary goroutine just after one of 4 sleeping workers ran for 20 µs and slept again; the starter goes on",
		reference: condWay.name,
		metrics:   []metric{{"p50", "ns"}, {"p90", "ns"}, {"p99", "ns"}},
	}
	const each = calm / 3 // a longer turn, so that the 99th percentile is not just the maximum
	for _, w := range besides {
		t.rows = append(t.rows, sampledGo(w.name, each, func(n int) ([]float64, error) { return startBeside(&w, n) }))
	}
	t.rows = append(t.rows, sampledGo(nobody, each, func(n int) ([]float64, error) { return startBeside(nil, n) }))
	return t
}

// startBeside measures n starts beside workers, if w is not nil. Whoever measures never yields:
// it could lose its P to a worker that keeps it, and the runtime's monitor would be wide awake
// when it goes on.
func startBeside(w *way, n int) ([]float64, error) {
	var c *crew
	if w != nil {
		var err error
		if c, err = newCrew(*w, sleepers, func(int) { compute(burst) }); err != nil {
			return nil, err
		}
		defer c.close()
	}
	var took []int64
	for i := range n {
		compute(calm)
		if c != nil {
			c.wake(i % sleepers)
			for c.asleep.Load() < int64(sleepers+i+1) {
				atomics.Pause(1)
			}
			compute(burst) // it is asleep then
		}
		var stamp atomics.Int64
		start := atomics.Now()
		go func() { stamp.Store(atomics.Now()) }()
		for stamp.Load() == 0 {
			atomics.Pause(1)
		}
		took = append(took, stamp.Load()-start)
	}
	return []float64{quantile(took, 0.5), quantile(took, 0.9), quantile(took, 0.99)}, nil
}

func idleTable() *table {
	t := &table{
		name:      "wake/idle",
		title:     "the whole process while 4 workers sleep",
		reference: nobody,
		metrics:   []metric{{"processor", "µs/s"}, {"switches", "1/s"}},
	}
	row := func(name string, w *way) row {
		return row{name: name, prepare: func(s *session) (turn, error) {
			if _, err := idleBeside(w, time.Millisecond); err != nil {
				return nil, err
			}
			return func() ([]float64, error) { return idleBeside(w, 2*wakeShare*s.length) }, nil
		}}
	}
	t.rows = append(t.rows, row(nobody, nil))
	for _, w := range besides {
		t.rows = append(t.rows, row(w.name, &w))
	}
	return t
}

// idleBeside sleeps for the window beside workers, if w is not nil, and returns the figures
// for a second of it.
func idleBeside(w *way, window time.Duration) ([]float64, error) {
	if w != nil {
		c, err := newCrew(*w, sleepers, func(int) {})
		if err != nil {
			return nil, err
		}
		defer c.close()
	}
	time.Sleep(window / 10) // the last steps to sleep, and the runtime's own, are over then
	start := atomics.Now()
	cpu, switches, err := rusage()
	if err != nil {
		return nil, err
	}
	time.Sleep(window)
	took := time.Duration(atomics.Now() - start)
	cpuEnd, switchesEnd, err := rusage()
	return []float64{
		float64(cpuEnd-cpu) / float64(time.Microsecond) / took.Seconds(),
		float64(switchesEnd-switches) / took.Seconds(),
	}, err
}
