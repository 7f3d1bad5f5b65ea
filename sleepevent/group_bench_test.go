package sleepevent_test

import (
	"slices"
	"testing"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/sleepevent"
)

// samples are the durations of one kind of event, in nanoseconds.
type samples []int64

// report publishes the median and the 90th percentile.
func (s samples) report(b *testing.B, name string) {
	slices.Sort(s)
	b.ReportMetric(float64(s[len(s)/2]), name+"-p50-ns")
	b.ReportMetric(float64(s[len(s)*9/10]), name+"-p90-ns")
}

// subject is one worker that stamps the moment when it runs.
type subject struct {
	name    string
	g       *sleepevent.Group
	stamp   atomics.Int64
	ended   chan struct{}
	latency samples // from the call of Wake to the worker's first instruction
	cost    samples // of the call of Wake
}

func newSubject(name string, o sleepevent.Options) *subject {
	s := &subject{name: name, g: sleepevent.NewGroup(1, o), ended: make(chan struct{})}
	s.stamp.Store(-1)
	s.g.BeginSearch()
	go func() {
		defer close(s.ended)
		for {
			s.g.Idle(0, nothing)
			s.stamp.Store(atomics.Now())
			if s.g.Closed() {
				return
			}
		}
	}()
	return s
}

// wake wakes the worker and waits for its stamp without giving the processor away.
func (s *subject) wake() {
	s.stamp.Store(0)
	start := atomics.Now()
	s.g.Wake()
	s.cost = append(s.cost, atomics.Now()-start)
	for s.stamp.Load() == 0 {
		atomics.Pause(1)
	}
	s.latency = append(s.latency, s.stamp.Load()-start)
}

func (s *subject) close() {
	s.g.Close()
	<-s.ended
}

// busy computes for d.
func busy(d time.Duration) {
	for end := atomics.Now() + int64(d); atomics.Now() < end; {
		atomics.Pause(4)
	}
}

// BenchmarkWakeSleeping wakes a worker that slept for the given time, with each parker in turn.
func BenchmarkWakeSleeping(b *testing.B) {
	for _, slept := range []time.Duration{300 * time.Microsecond, 5 * time.Millisecond} {
		b.Run(slept.String(), func(b *testing.B) {
			var subjects []*subject
			for _, p := range parks {
				subjects = append(subjects, newSubject(p.name[len("Park"):],
					sleepevent.Options{Park: p.park, MaxDrowsers: -1}))
			}
			for range b.N {
				for _, s := range subjects {
					awaitSleep(s.g)
					// Not time.Sleep: it would wake a thread of Go's scheduler just now, which
					// holds the free P until the kernel lets it run.
					busy(slept)
					s.wake()
				}
			}
			b.ReportMetric(0, "ns/op")
			for _, s := range subjects {
				s.close()
				s.latency.report(b, s.name)
				s.cost.report(b, s.name+"-waker")
			}
		})
	}
}

// BenchmarkWakeDrowsing wakes a worker that drowses.
func BenchmarkWakeDrowsing(b *testing.B) {
	s := newSubject("drowsing", sleepevent.Options{MaxDrowsers: 1, DrowseBudget: time.Hour})
	for range b.N {
		hang.Await(func() bool { return s.g.IdleCount() == 1 })
		busy(5 * time.Microsecond)
		s.wake()
	}
	b.ReportMetric(0, "ns/op")
	s.close()
	s.latency.report(b, s.name)
	s.cost.report(b, "waker")
}

// BenchmarkStartBesideSleepers starts an ordinary goroutine, from one that keeps running, just
// after four workers went to sleep, with each parker in turn. Workers that keep their Ps show
// here.
func BenchmarkStartBesideSleepers(b *testing.B) {
	const workers = 4
	pools := make([]*pool, len(parks))
	starts := make([]samples, len(parks))
	for i, p := range parks {
		pools[i] = newPool(workers, sleepevent.Options{Park: p.park, MaxDrowsers: -1})
	}
	for range b.N {
		for i, p := range pools {
			p.awaitSleep()
			busy(15 * time.Millisecond) // the runtime's monitor calms down
			var left atomics.Int32
			left.Store(workers)
			for range workers {
				p.push(func() {
					busy(20 * time.Microsecond)
					left.Add(-1)
				})
			}
			p.g.WakeAll()
			hang.Await(func() bool { return left.Load() == 0 })
			p.awaitSleep()
			var stamp atomics.Int64
			start := atomics.Now()
			go func() { stamp.Store(atomics.Now()) }()
			for stamp.Load() == 0 {
				atomics.Pause(1)
			}
			starts[i] = append(starts[i], stamp.Load()-start)
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, p := range pools {
		p.close()
		starts[i].report(b, parks[i].name[len("Park"):])
	}
}

// BenchmarkWakeNobody is what each piece of work pays while all workers are busy.
func BenchmarkWakeNobody(b *testing.B) {
	g := sleepevent.NewGroup(32, sleepevent.Options{})
	for b.Loop() {
		g.Wake()
	}
}

// BenchmarkWakeSearching is what it pays while somebody searches.
func BenchmarkWakeSearching(b *testing.B) {
	g := sleepevent.NewGroup(32, sleepevent.Options{})
	g.BeginSearch()
	for b.Loop() {
		g.Wake()
	}
}

// BenchmarkIdleWithdraw is an Idle whose rescan finds something.
func BenchmarkIdleWithdraw(b *testing.B) {
	g := sleepevent.NewGroup(32, sleepevent.Options{})
	g.BeginSearch()
	found := func() bool { return true }
	for b.Loop() {
		g.Idle(0, found)
	}
}
