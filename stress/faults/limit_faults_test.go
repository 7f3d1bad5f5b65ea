//go:build heddle_faults && !modelcheck

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// most leaves room for n numbers of each kind for the rest of the test.
func most(t *testing.T, n uint32) {
	t.Helper()
	paged.SetMost(n)
	t.Cleanup(func() { paged.SetMost(paged.Limit) })
}

// A full counts who was refused for want of room, by what is said.
type full struct {
	mu    sync.Mutex
	times map[string]int
	wrong error
}

// hears is deferred by who may be refused: it notes the panic, which is one of those that the
// documentation names.
func (f *full) hears() {
	if v := recover(); v != nil {
		f.note(v)
	}
}

func (f *full) note(v any) {
	var p *graphevent.PanicError
	if err, ok := v.(error); ok && errors.As(err, &p) {
		v = p.Value
	}
	text := fmt.Sprint(v)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !strings.Contains(text, ": more than 2^2") {
		if f.wrong == nil {
			f.wrong = fmt.Errorf("not for want of room: %v", text)
		}
		return
	}
	if f.times == nil {
		f.times = map[string]int{}
	}
	f.times[text]++
}

// failed notes a failure that may be that of a body for which there was no room.
func (f *full) failed(err error) {
	if err != nil && !errors.Is(err, graphevent.ErrSkipped) &&
		!errors.Is(err, graphevent.ErrCanceled) {
		f.note(err)
	}
}

// greedy wants more of everything than there is room for: it uses the system from outside and from
// bodies, and lives with each refusal. Whatever was accepted ends.
func greedy(m *mill, f *full, seed uint64, rounds int) {
	r := rand.New(rand.NewPCG(seed, 0))
	gate := m.s.NewSemaphore(1)
	graphs := map[int]*taskgraph.Graph{}
	// graph returns one with n tasks. A launch for which there was no event leaves it running.
	graph := func(n int) *taskgraph.Graph {
		var b taskgraph.GraphBuilder
		for range n {
			b.Task(taskgraph.Do(func() {}))
		}
		g, _ := b.Build()
		graphs[n] = g
		return g
	}
	for range rounds {
		n := 1 + r.IntN(2000)
		var events []taskgraph.Event
		keep := func(e taskgraph.Event) { events = append(events, e) }
		try := func(g func()) {
			defer f.hears()
			g()
		}
		var hold taskgraph.Event
		try(func() { hold = m.s.NewEvent() })
		try(func() {
			switch r.IntN(11) {
			case 0:
				for range n {
					keep(m.s.Task(taskgraph.Do(func() {})).Launch())
				}
			case 1:
				for range n {
					keep(m.s.Task(taskgraph.Do(func() {})).After(hold).Launch())
				}
			case 2:
				keep(m.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					for range n {
						c.Spawn(taskgraph.Do(func() {}))
					}
					return nil
				})).Launch())
			case 3:
				keep(m.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					for range n {
						c.Fork(double, taskgraph.Args{})
					}
					return nil
				})).Launch())
			case 4:
				g := m.s.NewGroup()
				keep(m.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					for range 10 * n {
						g.Go(c, func() {})
					}
					return nil
				})).Launch())
				for range n {
					g.Go(m.s, func() {})
				}
				f.failed(g.Wait(bg))
			case 5:
				for range n {
					keep(m.s.AfterDelay(time.Duration(r.IntN(1000)) * time.Microsecond))
				}
			case 6:
				size := 10 + r.IntN(2)*3000
				g := graphs[size]
				if g == nil {
					g = graph(size)
				}
				delete(graphs, size)
				keep(m.s.LaunchGraph(g))
				graphs[size] = g
			case 7:
				ctx, cancel := context.WithCancel(bg)
				atomics.Go(cancel)
				for range n / 10 {
					keep(m.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
						if err := c.Acquire(ctx, gate); err != nil {
							return nil
						}
						defer gate.Release()
						return nil
					})).Launch())
				}
				f.failed(m.s.WaitUntilTasksComplete(bg, events...))
				cancel()
			case 8:
				for range n / 10 {
					e := m.s.Task(taskgraph.Do(func() {})).On(m.th).Launch()
					keep(e)
					m.s.Promote(e, taskgraph.PriorityHigh)
				}
			case 9:
				holds := make([]taskgraph.Event, 12)
				for i := range holds {
					holds[i] = hold
				}
				for range n / 10 {
					task := m.s.Task(taskgraph.Do(func() {}))
					f.tries(func() { task.After(holds...) })
					keep(task.Launch())
				}
			case 10:
				keep(m.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					for i := range n {
						e := c.Task(taskgraph.Do(func() {})).
							Priority(taskgraph.PriorityBackgroundLow).Launch()
						if i%3 == 0 {
							m.s.Promote(e, taskgraph.PriorityHigh)
						}
					}
					return nil
				})).Launch())
			}
		})
		hold.Trigger()
		for _, e := range events {
			for !e.IsComplete() { // a wait may want room too
				f.tries(func() { _ = m.s.WaitUntilTasksComplete(bg, e) })
			}
			f.failed(e.Err())
		}
	}
	for !gate.TryAcquire() {
		f.tries(func() { _ = gate.Acquire(bg); gate.Release() })
	}
	gate.Release()
}

func (f *full) tries(g func()) {
	defer f.hears()
	g()
}

// takeAll returns new events, as many as there is room for.
func takeAll(t *testing.T, m *mill) (taken []taskgraph.Event) {
	var f full
	for f.times == nil && f.wrong == nil {
		f.tries(func() { taken = append(taken, m.s.NewEvent()) })
	}
	require.NoError(t, f.wrong)
	return taken
}

// TestNoRoomForPages: room for pages ends under load, and comes back. Who wants more is refused by
// a panic that says of what there was too much, in the goroutine that wants it; what was accepted
// ends; and with room again the same system does all it did before.
func TestNoRoomForPages(t *testing.T) {
	for _, park := range []sleepevent.Park{sleepevent.ParkOS, sleepevent.ParkGo} {
		for _, workers := range []int{1, 3} {
			for _, events := range []int{0, 1 << 15} { // room for so many, and for no more
				t.Run(fmt.Sprintf("park %d, %d workers, %d", park, workers, events),
					func(t *testing.T) { noRoomForPages(t, park, workers, events) })
			}
		}
	}
}

func noRoomForPages(t *testing.T, park sleepevent.Park, workers, events int) {
	m, end := newMill(taskgraph.Options{Workers: workers, Park: park, StuckAfter: time.Hour},
		namedthread.Options{})
	watched(t, m.s)
	made := make([]taskgraph.Event, events)
	for i := range made {
		made[i] = m.s.NewEvent()
	}
	for _, e := range made {
		e.Trigger()
	}
	most(t, 1<<11)
	if events > 0 {
		paged.SetMost(uint32(64 * workers))
	}
	var f full
	var taken []taskgraph.Event
	if events == 0 {
		// All but a few are taken, so that what each of the greedy wants at a time is surely too
		// much, also where they come one after the other.
		taken = takeAll(t, m)
		for _, e := range taken[:1<<8] {
			e.Trigger()
		}
		taken = taken[1<<8:]
	}
	var all sync.WaitGroup
	for k := range 3 {
		all.Go(func() { greedy(m, &f, uint64(k), short.Scaled(100)) })
	}
	all.Wait()
	for _, e := range taken {
		e.Trigger()
	}
	require.NoError(t, f.wrong)
	require.NotEmpty(t, f.times, "there was room for all")
	t.Log(f.times)
	paged.SetMost(paged.Limit)
	require.NoError(t, m.grind(50))
	require.NoError(t, end())
	require.Zero(t, m.s.Stats().Live)
}

// TestNoRoomForDelays: where no place is left for one more delay, AfterDelay refuses.
func TestNoRoomForDelays(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	watched(t, s)
	var events [200]taskgraph.Event
	for i := range events { // for these there is room then
		events[i] = s.NewEvent()
	}
	for _, e := range events {
		e.Trigger()
	}
	const room = 1 << 6
	most(t, room)
	for i := range events {
		delay := func() { events[i] = s.AfterDelay(time.Hour) }
		if i < room {
			delay()
		} else {
			require.PanicsWithValue(t, "taskgraph: more than 2^28 delays", delay)
		}
	}
	paged.SetMost(paged.Limit)
	require.NoError(t, s.Shutdown(bg)) // ends the delays
	for i, e := range events {
		require.Equal(t, i < room, errors.Is(e.Err(), graphevent.ErrClosed), "%d: %v", i, e.Err())
	}
}

// TestNoRoomForPromotions: where no number is left for a second entry, Promote refuses, and the
// task stays where it is.
func TestNoRoomForPromotions(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	watched(t, s)
	var begun, over atomics.Bool
	s.Go(func() {
		begun.Store(true)
		for !over.Load() { // it computes, so nobody takes its place
			runtime.Gosched()
		}
	})
	for !begun.Load() {
		runtime.Gosched()
	}
	var ran atomics.Int64
	var events [200]taskgraph.Event
	for i := range events {
		events[i] = s.Task(taskgraph.Do(func() { ran.Add(1) })).
			Priority(taskgraph.PriorityBackgroundLow).Launch()
	}
	const room = 1 << 6
	most(t, room)
	for i, e := range events {
		promote := func() { s.Promote(e, taskgraph.PriorityHigh) }
		if i < room {
			promote()
		} else {
			require.PanicsWithValue(t,
				"taskgraph: more than 2^28 promotions of tasks that have not started", promote)
		}
	}
	paged.SetMost(paged.Limit)
	over.Store(true)
	require.NoError(t, s.WaitUntilTasksComplete(bg, events[:]...))
	require.EqualValues(t, len(events), ran.Load())
	require.NoError(t, s.Shutdown(bg))
}

// TestNoRoomForParcels: calls from outside that find no parcel go one by one. Each is of a group of
// its own, and needs a parcel as long as the only worker is kept busy.
func TestNoRoomForParcels(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	most(t, 1<<10)
	busy := make(chan struct{})
	s.Go(func() { <-busy })
	var ran atomics.Int64
	var groups [1200]*taskgraph.Group
	for i := range groups {
		groups[i] = s.NewGroup()
		groups[i].Go(s, func() { ran.Add(1) })
	}
	close(busy)
	for _, g := range groups {
		require.NoError(t, g.Wait(bg))
	}
	require.EqualValues(t, len(groups), ran.Load())
	require.NoError(t, s.Shutdown(bg))
}

// TestNoRoomInAcquire: a goroutine that is to wait for a unit, and finds no room for its wait,
// leaves the queue: the unit goes to others.
func TestNoRoomInAcquire(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: time.Hour})
	watched(t, s)
	unit := s.NewSemaphore(1)
	most(t, 1<<10)
	for left := range 4 { // so many nodes
		require.True(t, unit.TryAcquire())
		var f full
		var events []taskgraph.Event
		for len(f.times) == 0 {
			f.tries(func() { events = append(events, s.NewEvent()) })
		}
		require.NoError(t, f.wrong)
		for range left {
			events[0].Trigger()
			events = events[1:]
		}
		ctx, cancel := context.WithCancel(bg)
		f.tries(func() {
			atomics.Go(cancel)
			require.ErrorIs(t, unit.Acquire(ctx), context.Canceled)
		})
		cancel()
		require.NoError(t, f.wrong)
		for _, e := range events {
			e.Trigger()
		}
		unit.Release()
		require.True(t, unit.TryAcquire(), "the unit is with a goroutine that was refused")
		unit.Release()
	}
	require.NoError(t, s.Shutdown(bg))
}

// TestNoRoomForAGraph: a graph that is refused takes no room from a smaller one.
func TestNoRoomForAGraph(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: time.Hour})
	watched(t, s)
	most(t, 1<<11)
	graph := func(n int) *taskgraph.Graph {
		var b taskgraph.GraphBuilder
		for range n {
			b.Task(taskgraph.Do(func() {}))
		}
		g, err := b.Build()
		require.NoError(t, err)
		return g
	}
	big := graph(1 << 12)
	for range 3 {
		require.ErrorContains(t, s.WaitUntilTasksComplete(bg, s.LaunchGraph(big)),
			"more than 2^28 tasks in graphs")
		require.NoError(t, s.WaitUntilTasksComplete(bg, s.LaunchGraph(graph(10))))
	}
	paged.SetMost(paged.Limit)
	require.NoError(t, s.WaitUntilTasksComplete(bg, s.LaunchGraph(big)))
	require.NoError(t, s.Shutdown(bg))
}
