package main

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// How the wake tables measure.
const (
	sleptFor   = 5 * time.Millisecond  // before a wake; native/plain.cpp has it too
	drowsedFor = 5 * time.Microsecond  // likewise
	calm       = 15 * time.Millisecond // until the runtime's monitor looks seldom
	burst      = 20 * time.Microsecond // what a worker computes when woken
	sleepers   = 4                     // workers beside which other things are measured
)

// wakeShare is how much longer a turn of a wake table is: it makes few measurements a second.
const wakeShare = 5

// samples returns how many measurements fit in a turn of a wake table.
func (s *session) samples(each time.Duration) int {
	return min(max(int(wakeShare*s.length/each), 3), 2000)
}

// wakeTables compare ways to sleep.
func wakeTables() []*table {
	return []*table{sleepingTable(), drowsingTable(), startTable(), idleTable()}
}

var wakeMetrics = []metric{
	{"p50", "ns"}, {"p90", "ns"}, {"waker p50", "ns"}, {"waker p90", "ns"},
}

func sleepingTable() *table {
	t := &table{
		name:      "wake/sleeping",
		title:     "wake a worker that slept 5 ms, to its first instruction; the waker goes on; and what the wake costs the waker",
		reference: "raw futex (Go)",
		metrics:   wakeMetrics,
	}
	for _, w := range []way{futexWay, groupOS, signalOS, twoPhase, groupGo, signalGo, condWay, chanWay} {
		t.rows = append(t.rows, woken(w, sleptFor, sleptFor))
	}
	t.rows = append(t.rows, nativeFutex.sampled("sleeping", sleptFor))
	return t
}

func drowsingTable() *table {
	t := &table{
		name:      "wake/drowsing",
		title:     "wake a worker that is idle and awake, to its first instruction; and what the wake costs the waker",
		reference: "spin",
		metrics:   wakeMetrics,
	}
	const each = 100 * drowsedFor // on a busy machine two that spin get in each other's way
	for _, w := range []way{spinWay, groupAwake, yieldWay} {
		t.rows = append(t.rows, woken(w, drowsedFor, each))
	}
	t.rows = append(t.rows, nativeSpin.sampled("drowsing", each))
	return t
}

// sampledGo is a row whose turn measures the given number of times; the warm-up is a turn of
// the shortest kind.
func sampledGo(name string, each time.Duration, measure func(n int) ([]float64, error)) row {
	return row{name: name, prepare: func(s *session) (turn, error) {
		if _, err := measure(3); err != nil {
			return nil, err
		}
		n := s.samples(each)
		return func() ([]float64, error) { return measure(n) }, nil
	}}
}

// woken is the row of a way to wake one worker that was idle for the given time; each is about
// what one measurement takes.
func woken(w way, idle, each time.Duration) row {
	return sampledGo(w.name, each, func(n int) ([]float64, error) {
		var stamp atomics.Int64
		c, err := newCrew(w, 1, func(int) { stamp.Store(atomics.Now()) })
		if err != nil {
			return nil, err
		}
		defer c.close()
		var latency, cost []int64
		for i := range n {
			c.await(int64(i + 1))
			// Not time.Sleep: it would wake a thread of Go's scheduler just now, which holds
			// the free P until the kernel lets it run.
			compute(idle)
			stamp.Store(0)
			start := atomics.Now()
			c.wake(0)
			cost = append(cost, atomics.Now()-start)
			for stamp.Load() == 0 {
				atomics.Pause(1)
			}
			latency = append(latency, stamp.Load()-start)
		}
		return wakeFigures(latency, cost), nil
	})
}

// wakeFigures are the values of wakeMetrics.
func wakeFigures(latency, cost []int64) []float64 {
	return []float64{quantile(latency, 0.5), quantile(latency, 0.9), quantile(cost, 0.5), quantile(cost, 0.9)}
}
