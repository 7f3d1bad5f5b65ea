package main

import (
	"github.com/heddle-go/heddle/internal/atomics"
)

// startWorkloads start an ordinary goroutine while workers of each kind sleep: a sleeper that
// keeps hold of its share of the Go scheduler shows here.
func startWorkloads(z sizes) []*workload {
	w := &workload{name: "goroutine-start",
		title: "start an ordinary goroutine just after one of 4 sleeping workers ran for 20 µs " +
			"and slept again, to its first instruction, while the starter continues; n is the " +
			"number of starts in a turn",
		unit: "ns", n: z.wakes, single: true, fixed: sleepers}
	for _, by := range []way{groupOS, groupGo, twoPhase, condWay, chanWay, futexWay} {
		w.rows = append(w.rows, goRow(by.name, func(*session, int) (reading, error) {
			return startBeside(&by, w.n)
		}))
	}
	w.rows = append(w.rows, goRow(nobody, func(*session, int) (reading, error) {
		return startBeside(nil, w.n)
	}))
	return []*workload{w}
}

// nobody stands for a program without workers.
const nobody = "none"

// startBeside measures n starts beside workers, if by is not nil. Whoever measures never yields:
// it could lose its P to a worker that keeps it, and the runtime's monitor would be wide awake
// when it goes on.
func startBeside(by *way, n int) (reading, error) {
	var c *crew
	if by != nil {
		var err error
		if c, err = newCrew(*by, sleepers, func(int) { compute(burst) }); err != nil {
			return reading{}, err
		}
		defer c.close()
	}
	var r reading
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
		r.samples = append(r.samples, float64(stamp.Load()-start))
	}
	return r, nil
}
