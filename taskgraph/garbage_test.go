package taskgraph_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph"
)

// A step is what a program does again and again; after the first ones it makes no garbage, whoever
// runs it.
var stepsToWarmUp, stepsToCount = 2000, 4000

// fewSteps is for the short form.
func fewSteps() { stepsToWarmUp, stepsToCount = 250, 400 }

// requireNoGarbage requires that a step allocates nothing once there were many, and of all steps a
// few objects at most: what is as much as was ever needed at a time may grow late, and on a busy
// machine so late that the steps are counted again. Garbage would be there each time.
func requireNoGarbage(t *testing.T, step func()) {
	t.Helper()
	// what the first sleeper of the process looks up would count as garbage of its step
	park.HandsOff()
	for range stepsToWarmUp {
		step()
	}
	made := uint64(stepsToCount)
	for try := 0; try < 8 && made >= uint64(stepsToCount/20); try++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range stepsToCount {
			step()
		}
		runtime.ReadMemStats(&after)
		made = after.Mallocs - before.Mallocs
		t.Logf("%d objects in %d steps", made, stepsToCount)
	}
	require.Less(t, made, uint64(stepsToCount/20), "objects in all steps")
}

// requireNoGarbageInside is that for steps of one body.
func requireNoGarbageInside(t *testing.T, s *taskgraph.System, step func(c *taskgraph.Context)) {
	t.Helper()
	run(t, s, func(c *taskgraph.Context) error {
		requireNoGarbage(t, func() { step(c) })
		return nil
	})
}

// requireSeen measures until it has seen what the measurement is for: on a busy machine the other
// worker may stand still for as long as one takes.
func requireSeen(t *testing.T, what string, measure func(), seen func() bool) {
	t.Helper()
	for try := 0; ; try++ {
		if measure(); seen() {
			return
		}
		require.Less(t, try, 10, what)
	}
}

// busy computes for so long.
func busy(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

var forkBegan atomics.Int64

func markFork(_ *taskgraph.Context, a *taskgraph.Args) {
	forkBegan.Store(a.A)
	busy(time.Duration(a.B))
}

// A call that another worker runs, one whose wait is over before and one that takes so long that
// the wait gives its slot away; and a body on top of which others lie.
func TestStolenForksMakeNoGarbage(t *testing.T) {
	needsTwoPs(t)
	s := start(t, taskgraph.Options{Workers: 2})
	before := s.Stats()
	n := int64(0)
	step := func(c *taskgraph.Context) {
		n++
		call := taskgraph.Args{A: n}
		if n%256 == 0 { // longer than a wait stays awake
			call.B = int64(2 * time.Millisecond)
		}
		lower := c.Fork(forkFib, taskgraph.Args{A: 3})
		j := c.Fork(markFork, call)
		upper := c.Fork(forkFib, taskgraph.Args{A: 3})
		for i := 0; i < 1000 && forkBegan.Load() != n; i++ { // not longer: nobody must steal it
			runtime.Gosched()
		}
		upper.Wait()
		j.Wait()
		lower.Wait()
	}
	requireSeen(t, "stolen calls, and waits that gave their slot away",
		func() { requireNoGarbageInside(t, s, step) },
		func() bool {
			after := s.Stats()
			stolen := after.Steals - before.Steals
			return stolen > uint64(stepsToCount/10) && after.Parks > before.Parks
		})
}

// crowd is a loop of which each element takes a moment, and counts the calls by helpers.
func crowd(helped *atomics.Int64, elements int, each time.Duration) taskgraph.Loop {
	return taskgraph.Loop{N: elements, Unbalanced: true,
		Body: func(p *taskgraph.Participant, _, _ int) error {
			if p.Index() > 0 {
				helped.Add(1)
			}
			busy(each)
			return nil
		}}
}

// Loops of which helpers take a part, some so long that the caller gives its slot away.
func TestHelpedLoopsMakeNoGarbage(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var helped atomics.Int64
	loop := crowd(&helped, 8, 5*time.Microsecond)
	n := 0
	long := taskgraph.Loop{N: 2, Unbalanced: true,
		Body: func(p *taskgraph.Participant, _, _ int) error {
			if p.Index() > 0 {
				busy(300 * time.Microsecond)
			} else {
				busy(30 * time.Microsecond)
			}
			return nil
		}}
	step := func(c *taskgraph.Context) {
		if n++; n%32 == 0 {
			require.NoError(t, c.RunLoop(long))
		}
		require.NoError(t, c.RunLoop(loop))
	}
	requireSeen(t, "calls by helpers",
		func() { requireNoGarbageInside(t, s, step) },
		func() bool {
			return helped.Load() > int64(stepsToCount/10) || runtime.GOMAXPROCS(0) == 1
		})
}

// Loops whose helpers do not begin before the loop is over: the other worker is busy, and then
// comes upon them.
func TestLateHelpersMakeNoGarbage(t *testing.T) {
	for _, inside := range []bool{true, false} {
		s := startUnwatched(t, taskgraph.Options{Workers: 2})
		var helped atomics.Int64
		loop := crowd(&helped, 2, 0)
		over := occupyComputing(t, s, 1)
		if inside {
			requireNoGarbageInside(t, s, func(c *taskgraph.Context) {
				require.NoError(t, c.RunLoop(loop))
			})
		} else {
			also := occupyComputing(t, s, 1)
			requireNoGarbage(t, func() { require.NoError(t, s.RunLoop(loop)) })
			also()
		}
		over()
		require.Less(t, helped.Load(), int64(stepsToCount/2), "calls by helpers")
		run(t, s, func(c *taskgraph.Context) error { return c.RunLoop(loop) })
	}
}

// occupyComputing is occupy with bodies that compute, so that nobody stands in for them at once.
func occupyComputing(t *testing.T, s *taskgraph.System, workers int32) (release func()) {
	t.Helper()
	var in atomics.Int32
	var over atomics.Bool
	events := make([]taskgraph.Event, 0, workers)
	for range workers {
		events = append(events, s.Go(func() {
			in.Add(1)
			for !over.Load() {
				runtime.Gosched()
			}
		}))
	}
	for in.Load() < workers {
		runtime.Gosched()
	}
	t.Cleanup(func() { over.Store(true) }) // so that a test that fails does not hang too
	return func() { over.Store(true); wait(t, s, events...) }
}

// Graphs that are run again, and tasks that a body launches and waits for, across workers.
func TestStepsAcrossWorkersMakeNoGarbage(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var b taskgraph.GraphBuilder
	first := b.Task(taskgraph.Do(func() {}))
	last := b.Task(taskgraph.Do(func() {}))
	for range 8 {
		last.After(b.Task(taskgraph.Do(func() { busy(5 * time.Microsecond) })).After(first))
	}
	g, err := b.Build()
	require.NoError(t, err)
	var events [8]taskgraph.Event
	work := taskgraph.Do(func() { busy(2 * time.Microsecond) })
	before := s.Stats().Steals
	step := func(c *taskgraph.Context) {
		events[0] = c.LaunchGraph(g)
		require.NoError(t, c.WaitUntilTasksComplete(c, events[:1]...))
		for i := range events {
			events[i] = c.Spawn(work)
		}
		require.NoError(t, c.WaitUntilTasksComplete(c, events[:]...))
	}
	requireSeen(t, "stolen tasks",
		func() { requireNoGarbageInside(t, s, step) },
		func() bool { return s.Stats().Steals-before > uint64(stepsToCount/10) })
}

// Groups whose last call ends elsewhere, so that the wait needs the event of that, from a body and
// from outside.
func TestGroupsMakeNoGarbage(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	group := s.NewGroup()
	short, n := func() { busy(2 * time.Microsecond) }, 0
	long := func() { busy(2 * time.Millisecond) } // longer than a wait stays awake
	step := func(l taskgraph.Launcher, wait func() error) {
		if n++; n%128 == 0 {
			group.Go(l, long)
			group.Go(l, long)
		}
		for range 8 {
			group.Go(l, short)
		}
		require.NoError(t, wait())
	}
	requireNoGarbage(t, func() { step(s, func() error { return group.Wait(bg) }) })
	requireNoGarbageInside(t, s, func(c *taskgraph.Context) {
		step(c, func() error { return group.Wait(c) })
	})
}
