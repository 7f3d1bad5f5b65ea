package main

import (
	"fmt"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// How wakes are measured.
const (
	sleptFor   = 5 * time.Millisecond  // before a wake
	drowsedFor = 5 * time.Microsecond  // likewise
	calm       = 15 * time.Millisecond // until the runtime's monitor looks seldom
	burst      = 20 * time.Microsecond // what a worker computes when woken
	sleepers   = 4                     // workers beside which goroutines are started
)

// wakeWorkloads wake one worker and measure until its first instruction; the waker goes on.
func wakeWorkloads(z sizes) []*workload {
	drowsing := &workload{name: "wake-drowsing",
		title: "wake a worker that is idle for 5 µs and still awake, to its first instruction; n " +
			"is the number of wakes in a turn",
		unit: "ns", n: z.of(2000), single: true, fixed: 1}
	for _, w := range []way{groupAwake, spinWay, yieldWay} {
		drowsing.woken(w, drowsedFor)
	}
	drowsing.wokenSystem(drowsedFor)
	sleeping := &workload{name: "wake-sleeping",
		title: "wake a worker that slept for 5 ms, to its first instruction; n is the number of " +
			"wakes in a turn",
		unit: "ns", n: z.wakes, single: true, fixed: 1}
	for _, w := range []way{groupOS, signalOS, groupGo, twoPhase, futexWay, condWay, chanWay} {
		sleeping.woken(w, sleptFor)
	}
	sleeping.wokenSystem(sleptFor)
	job := func(kind string, idle time.Duration, n int) func(*session, int) (string, error) {
		return func(*session, int) (string, error) {
			return fmt.Sprintf("%s n=%d idle=%d", kind, n, idle/time.Nanosecond), nil
		}
	}
	drowsing.rows = append(drowsing.rows, cppSpin.row(1, job("spin", drowsedFor, drowsing.n)),
		tbb.row(1, job("wake", drowsedFor, drowsing.n)))
	sleeping.rows = append(sleeping.rows, cppFutex.row(1, job("futex", sleptFor, sleeping.n)),
		tbb.row(1, job("wake", sleptFor, sleeping.n)))
	return []*workload{drowsing, sleeping}
}

// wakes measures n times: once it is ready, and has had the time to fall idle, begin starts what
// stamps its first instruction. The first, which warms up, does not count.
func wakes(n int, idle time.Duration, ready func(), begin func(stamp *atomics.Int64)) reading {
	var r reading
	for i := range n + 1 {
		ready()
		// Not time.Sleep: it would wake a thread of Go's scheduler just now, which holds
		// the free P until the kernel lets it run.
		compute(idle)
		stamp := new(atomics.Int64)
		start := atomics.Now()
		begin(stamp)
		for stamp.Load() == 0 {
			atomics.Pause(1)
		}
		if i > 0 {
			r.samples = append(r.samples, float64(stamp.Load()-start))
		}
	}
	return r
}

// woken adds the row of a way to wake a worker.
func (w *workload) woken(by way, idle time.Duration) {
	w.rows = append(w.rows, goRow(by.name, func(*session, int) (reading, error) {
		var stamp atomics.Pointer[atomics.Int64]
		c, err := newCrew(by, 1, func(int) { stamp.Load().Store(atomics.Now()) })
		if err != nil {
			return reading{}, err
		}
		defer c.close()
		times := int64(0)
		return wakes(w.n, idle, func() { times++; c.await(times) }, func(now *atomics.Int64) {
			stamp.Store(now)
			c.wake(0)
		}), nil
	}))
}

// wokenSystem adds the row of a whole System: from the launch to the first instruction of the
// body.
func (w *workload) wokenSystem(idle time.Duration) {
	w.rows = append(w.rows, goRow(heddleTasks, func(*session, int) (reading, error) {
		h := startHeddle(1)
		var stamp *atomics.Int64
		body := taskgraph.Do(func() { stamp.Store(atomics.Now()) })
		r := wakes(w.n, idle, func() {}, func(now *atomics.Int64) {
			stamp = now
			h.sys.Task(body).Launch()
		})
		return r, h.close()
	}))
}
