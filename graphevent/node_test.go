package graphevent_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
)

func states(es ...graphevent.Event) (out []string) {
	for _, e := range es {
		out = append(out, e.State().String())
	}
	return out
}

func TestNodeStates(t *testing.T) {
	s := newSched()
	m, p := s.store.NewEvent(), s.store.NewEvent()
	var during []string
	e := s.hold(0, func(f *frame) error {
		during = append(states(f.e), fmt.Sprint(s.store.Held(f.e)))
		f.holdOpen(m)
		return nil
	})
	require.True(t, s.store.Held(e))
	require.Equal(t, e, s.store.Event(e.Node()))
	s.after(e, p)
	require.Equal(t, []string{"unsubmitted", "untriggered"}, states(e, p))
	require.Equal(t, []graphevent.Event{p}, s.store.Prerequisites(e, nil))
	require.Equal(t, graphevent.LaunchWaiting, s.launch(e))
	require.False(t, s.store.Held(e))
	require.Equal(t, []string{"waiting"}, states(e))
	require.Equal(t, graphevent.LaunchNotHeld, s.launch(e))
	p.Trigger()
	require.Equal(t, []string{"ready"}, states(e))
	require.Empty(t, s.store.Prerequisites(e, nil))
	require.Equal(t, graphevent.LaunchNotHeld, s.launch(e))
	s.drain()
	require.Equal(t, []string{"executing", "false"}, during)
	require.Equal(t, []string{"executing"}, states(e))
	require.Equal(t, graphevent.LaunchNotHeld, s.launch(e))
	require.Equal(t, []graphevent.Event{m}, s.store.Prerequisites(e, nil))
	require.EqualValues(t, 0, s.completed.Load())
	m.Trigger()
	require.Equal(t, []string{"completed"}, states(e))
	require.False(t, s.store.Held(e))
	require.Equal(t, graphevent.LaunchNotHeld, s.launch(e))
	require.EqualValues(t, 1, s.completed.Load())
	s.requireNothingLeft(t)
}

func TestStart(t *testing.T) {
	s := newSched()
	for _, fail := range []error{nil, errBoom} {
		var c graphevent.Cache
		n := s.store.Acquire(&c)
		e := s.store.Start(n, 0)
		require.False(t, e.IsComplete())
		require.Equal(t, []string{"ready"}, states(e))
		require.True(t, s.store.Claim(n, &c))
		require.False(t, s.store.TryClaim(e))
		require.Equal(t, []string{"executing"}, states(e))
		require.True(t, s.store.EndBody(n, fail, &c, s))
		require.True(t, e.IsComplete())
		require.Equal(t, fail, e.Err())
		require.EqualValues(t, 0, s.completed.Load(), "EndBody returned true")
		s.store.Flush(&c)
	}
	s.requireNothingLeft(t)
}

func TestLaunchWithoutPrerequisites(t *testing.T) {
	s := newSched()
	done := s.store.NewEvent()
	done.Trigger()
	e := s.hold(0, nil)
	s.after(e, done, done, graphevent.Event{})
	require.Equal(t, graphevent.LaunchReady, s.launch(e))
	s.drain()
	require.True(t, e.IsComplete())
	s.requireNothingLeft(t)
}

func TestSkipAndRunAlways(t *testing.T) {
	for name, order := range map[string]string{"failed before": "fail after launch",
		"between": "after fail launch", "later": "after launch fail"} {
		for _, flags := range []graphevent.Flags{0, graphevent.RunAlways} {
			t.Run(fmt.Sprintf("%s, flags %x", name, flags), func(t *testing.T) {
				s := newSched()
				p, q := s.store.NewEvent(), s.store.NewEvent()
				ran := false
				e := s.hold(0, func(*frame) error { ran = true; return nil })
				s.store.SetFlags(e.Node(), flags)
				next := s.task(nil, e)
				var a, b, c string
				fmt.Sscan(order, &a, &b, &c)
				for _, do := range []string{a, b, c} {
					switch do {
					case "fail":
						p.Fail(errBoom)
						q.Fail(errCrash)
					case "after":
						s.after(e, p, q, p)
					case "launch":
						s.launch(e)
					}
				}
				require.Equal(t, flags != 0, !e.IsComplete())
				s.drain()
				require.True(t, e.IsComplete())
				require.True(t, next.IsComplete())
				require.Equal(t, flags != 0, ran)
				if flags != 0 {
					require.NoError(t, e.Err(),
						"the failure of a prerequisite is none of a task that runs always")
					require.NoError(t, next.Err())
				} else {
					require.ErrorIs(t, e.Err(), graphevent.ErrSkipped)
					require.ErrorIs(t, e.Err(), errBoom, "the first failure counts")
					require.ErrorIs(t, next.Err(), errBoom)
				}
				require.EqualValues(t, 2, s.completed.Load())
				s.requireNothingLeft(t)
			})
		}
	}
}

func TestPinned(t *testing.T) {
	s := newSched()
	a := s.hold(graphevent.Pinned, nil)
	b := s.hold(0, nil)
	require.True(t, s.store.IsPinned(a))
	require.False(t, s.store.IsPinned(b))
	s.store.SetFlags(b.Node(), graphevent.Pinned)
	require.True(t, s.store.IsPinned(b))
	for _, e := range []graphevent.Event{a, b} {
		s.launch(e)
		require.True(t, s.store.IsPinned(e))
		require.True(t, s.store.TryClaim(e), "whose thread it is was the caller's to check")
		s.run(e.Node(), nil)
	}
	s.drain()
	s.requireNothingLeft(t)
}

// TestEdges gives a node up to 12 prerequisites, inline and spilled, and completes them in
// random order, some of them before they are registered.
func TestEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := newSched()
	for edges := range 13 {
		for range scaled(30) {
			ps := manual(s.store, edges)
			order := rng.Perm(edges)
			early := 0
			if edges > 0 {
				early = rng.IntN(edges + 1)
			}
			for _, i := range order[:early] {
				ps[i].Trigger()
			}
			ran := false
			e := s.hold(0, func(*frame) error { ran = true; return nil })
			s.after(e, ps...)
			var left []graphevent.Event
			for _, i := range order[early:] {
				left = append(left, ps[i])
			}
			require.ElementsMatch(t, left, s.store.Prerequisites(e, nil))
			s.launch(e)
			for _, p := range left {
				s.drain()
				require.False(t, ran)
				p.Trigger()
			}
			s.drain()
			require.True(t, ran)
		}
	}
	_, free := s.store.SlabEdges()
	require.Positive(t, free)
	s.requireNothingLeft(t)
}

func TestHoldOpen(t *testing.T) {
	for name, c := range map[string]struct {
		body     error
		complete []error // of what is complete when the body runs
		later    []error
		want     error
	}{
		"nothing":              {nil, nil, nil, nil},
		"one complete":         {nil, []error{nil}, nil, nil},
		"one later":            {nil, nil, []error{nil}, nil},
		"mixed":                {nil, []error{nil, nil}, []error{nil, nil}, nil},
		"many":                 {nil, make([]error, 3), make([]error, 9), nil},
		"body fails":           {errBoom, nil, []error{nil}, errBoom},
		"body fails first":     {errBoom, []error{errCrash}, []error{errCrash}, errBoom},
		"one has failed":       {nil, []error{errBoom}, nil, errBoom},
		"one has failed, more": {nil, []error{errBoom, nil}, []error{nil, errCrash}, errBoom},
		"one fails later":      {nil, []error{nil}, []error{nil, errBoom, nil, errCrash}, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSched()
			finish := func(e graphevent.Event, err error) {
				if err != nil {
					e.Fail(err)
				} else {
					e.Trigger()
				}
			}
			complete, later := manual(s.store, len(c.complete)), manual(s.store, len(c.later))
			for i, e := range complete {
				finish(e, c.complete[i])
			}
			e := s.task(func(f *frame) error {
				f.holdOpen(complete...)
				f.holdOpen(later...)
				return c.body
			})
			next := s.task(nil, e)
			s.drain()
			for i, o := range later {
				require.False(t, e.IsComplete())
				require.EqualValues(t, 0, s.completed.Load())
				require.ElementsMatch(t, later[i:], s.store.Prerequisites(e, nil))
				finish(o, c.later[i])
			}
			s.drain()
			require.True(t, e.IsComplete())
			require.Equal(t, c.want, e.Err())
			require.True(t, next.IsComplete())
			if c.want != nil {
				require.ErrorIs(t, next.Err(), c.want)
			}
			require.EqualValues(t, 2, s.completed.Load())
			s.requireNothingLeft(t)
		})
	}
}

// TestHoldOpenForTasks holds a task open for the tasks that its body launched, and these for
// theirs.
func TestHoldOpenForTasks(t *testing.T) {
	s := newSched()
	leaves := 0
	var grow func(depth int) func(*frame) error
	grow = func(depth int) func(*frame) error {
		return func(f *frame) error {
			if depth == 0 {
				leaves++
				return nil
			}
			for range 6 {
				f.holdOpen(s.task(grow(depth - 1)))
			}
			return nil
		}
	}
	e := s.task(grow(4))
	for !e.IsComplete() {
		require.True(t, s.step(nil))
	}
	require.Equal(t, 6*6*6*6, leaves)
	s.drain()
	s.requireNothingLeft(t)
}

// TestIncomplete compares the walk with what is known to be incomplete.
func TestIncomplete(t *testing.T) {
	s := newSched()
	want := map[graphevent.Event]bool{}
	var held, waiting []graphevent.Event
	m := s.store.NewEvent()
	want[m] = true
	for range 100 {
		h, w := s.hold(0, nil), s.task(nil, m)
		want[h], want[w] = true, true
		held, waiting = append(held, h), append(waiting, w)
	}
	s.store.Notify(nil, func() {}, m) // no event
	got := map[graphevent.Event]bool{}
	for e := range s.store.Incomplete {
		got[e] = true
	}
	require.Equal(t, want, got)
	for range s.store.Incomplete {
		break
	}
	for _, h := range held {
		s.launch(h)
	}
	m.Fail(errBoom)
	s.drain()
	require.True(t, waiting[0].IsComplete())
	for e := range s.store.Incomplete {
		t.Errorf("%v is %v", e, e.State())
	}
	s.requireNothingLeft(t)
}

// TestIncompleteBesideNewNodes: nodes that are being made are no events yet.
func TestIncompleteBesideNewNodes(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	m := s.NewEvent()
	for i := range 40 {
		s.StallNewNodes(i < 20)
	}
	for e := range s.Incomplete {
		require.Equal(t, m, e)
	}
}

func TestCache(t *testing.T) {
	s := newSched()
	var a, b graphevent.Cache
	const n = 1000
	seen := map[graphevent.Node]bool{}
	var nodes []graphevent.Node
	acquire := func() {
		next := a.Next()
		x := s.store.Acquire(&a)
		require.False(t, seen[x], "handed out twice")
		require.NotZero(t, x)
		if next != 0 {
			require.Equal(t, next, x)
		}
		seen[x] = true
		nodes = append(nodes, x)
	}
	for range n {
		acquire()
	}
	for _, x := range nodes {
		s.store.Discard(x, &b)
	}
	made, free := s.store.Nodes()
	require.Equal(t, made, free+a.Len()+b.Len())
	// What one cache gives back in bulk serves others: no more than it kept is made anew.
	clear(seen)
	for range n {
		acquire()
	}
	after, _ := s.store.Nodes()
	require.LessOrEqual(t, after, made+128)

	t.Run("mixed", func(t *testing.T) {
		s, c := newSched(), new(graphevent.Cache)
		for _, x := range []int{0, 1, 63, 64, 65, 300} {
			for _, e := range manual(s.store, x) {
				e.Trigger() // through no cache
			}
			for range x {
				nodes = append(nodes[:0], s.store.Acquire(c), s.store.Acquire(c))
				s.store.Discard(nodes[0], c)
				s.store.Discard(nodes[1], nil)
			}
		}
		s.store.Flush(c)
		require.Zero(t, c.Len())
		s.requireNothingLeft(t)
	})
}

// TestBatchesServeOutsiders: nodes that a worker freed go to goroutines without a cache.
func TestBatchesServeOutsiders(t *testing.T) {
	s := newSched()
	var c graphevent.Cache
	for range 10 {
		var es []graphevent.Event
		for range 640 {
			n := s.store.Acquire(nil)
			es = append(es, s.store.Start(n, 0))
		}
		for _, e := range es {
			require.True(t, s.store.Claim(e.Node(), &c))
			require.True(t, s.store.EndBody(e.Node(), nil, &c, s))
		}
	}
	made, _ := s.store.Nodes()
	require.LessOrEqual(t, made, 640+3*64)
	s.store.Flush(&c)
	s.requireNothingLeft(t)
}

// TestGrowCoversWhatIsHandedOut lets goroutines acquire nodes at the same time.
func TestGrowCoversWhatIsHandedOut(t *testing.T) {
	var wrong atomics.Bool
	var limit atomics.Uint64 // a bit for each batch
	s := graphevent.NewStore(graphevent.Options{Grow: func(l graphevent.Node) {
		limit.Or(1 << (l/64 - 1))
	}})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				if n := s.Acquire(nil); limit.Load()>>(n/64)&1 == 0 {
					wrong.Store(true)
				}
			}
		})
	}
	wg.Wait()
	require.False(t, wrong.Load())
}

// TestLaunchRacesCompletion completes prerequisites while a task is built and launched.
func TestLaunchRacesCompletion(t *testing.T) {
	s := newSched()
	s.start(2)
	for i := range scaled(10_000) {
		ps := manual(s.store, i%7)
		var runs atomics.Int64
		var wg sync.WaitGroup
		for _, p := range ps {
			wg.Go(func() { p.Trigger() })
		}
		e := s.hold(0, func(*frame) error { runs.Add(1); return nil })
		s.after(e, ps...)
		s.launch(e)
		require.NoError(t, await(e))
		require.EqualValues(t, 1, runs.Load())
		wg.Wait()
	}
	s.stop()
	s.requireNothingLeft(t)
}

// TestFailureRacesLaunch is the same with prerequisites of which one fails.
func TestFailureRacesLaunch(t *testing.T) {
	s := newSched(func(o *graphevent.Options) { o.MaxFailures = 8 })
	s.start(2)
	for i := range scaled(10_000) {
		ps := manual(s.store, 1+i%6)
		var wg sync.WaitGroup
		for j, p := range ps {
			wg.Go(func() {
				if j == i%len(ps) {
					p.Fail(errBoom)
				} else {
					p.Trigger()
				}
			})
		}
		ran := false
		e := s.hold(0, func(*frame) error { ran = true; return nil })
		s.after(e, ps...)
		s.launch(e)
		require.ErrorIs(t, await(e), errBoom)
		require.False(t, ran)
		wg.Wait()
	}
	s.stop()
	s.requireNothingLeft(t)
}

// TestHoldOpenRacesCompletion completes what holds a task open while its body registers it.
func TestHoldOpenRacesCompletion(t *testing.T) {
	s := newSched()
	s.start(2)
	for i := range scaled(10_000) {
		os := manual(s.store, 1+i%7)
		var wg sync.WaitGroup
		for _, o := range os {
			wg.Go(func() { o.Trigger() })
		}
		e := s.task(func(f *frame) error { f.holdOpen(os...); return nil })
		require.NoError(t, await(e))
		for _, o := range os {
			require.True(t, o.IsComplete())
		}
		wg.Wait()
	}
	s.stop()
	s.requireNothingLeft(t)
}

// TestPrerequisitesWhileTheyComplete walks nodes that complete and are used again meanwhile:
// what the walk returns was a prerequisite of the very event.
func TestPrerequisitesWhileTheyComplete(t *testing.T) {
	s := newSched()
	s.start(1)
	type life struct {
		e  graphevent.Event
		ps []graphevent.Event
	}
	var current atomics.Pointer[life]
	var wg sync.WaitGroup
	var over, wrong atomics.Bool
	for range 2 {
		wg.Go(func() {
			var buf []graphevent.Event
			for !over.Load() {
				atomics.Gosched()
				l := current.Load()
				if l == nil {
					continue
				}
				buf = s.store.Prerequisites(l.e, buf[:0])
				for _, p := range buf {
					found := false
					for _, q := range l.ps {
						found = found || p == q
					}
					if !found {
						wrong.Store(true)
					}
				}
				_ = l.e.State()
				for e := range s.store.Incomplete {
					_ = e.State()
				}
			}
		})
	}
	for i := range scaled(10_000) {
		ps := manual(s.store, 1+i%9)
		e := s.hold(0, nil)
		s.after(e, ps...)
		current.Store(&life{e, ps})
		s.launch(e)
		for _, p := range ps {
			p.Trigger()
		}
		require.NoError(t, await(e))
	}
	over.Store(true)
	wg.Wait()
	s.stop()
	require.False(t, wrong.Load())
	s.requireNothingLeft(t)
}

func TestAllocations(t *testing.T) {
	if race.Enabled {
		return // it allocates by itself
	}
	r := &tokens{}
	s := graphevent.NewStore(graphevent.Options{Releaser: r, Scheduler: idle{}})
	var c graphevent.Cache
	never := s.NewEvent()
	prerequisites := func(edges uint32) func() {
		return func() {
			p := s.NewEvent()
			n := s.Acquire(&c)
			e := s.Hold(n, 0)
			for i := range edges {
				s.After(n, i, p)
			}
			s.Launch(e, edges, &c, idle{})
			p.Trigger()
			s.Claim(n, &c)
			s.EndBody(n, nil, &c, idle{})
		}
	}
	f, g := func() {}, func(error) {}
	for name, run := range map[string]func(){
		"manual event": func() { s.NewEvent().Trigger() },
		"AddSubsequent": func() {
			e := s.NewEvent()
			e.AddSubsequent(1)
			e.Trigger()
			r.got, r.errs = r.got[:0], r.errs[:0]
		},
		"Notify":         func() { e := s.NewEvent(); s.Notify(nil, f, e); e.Trigger() },
		"Notify refused": func() { s.Notify(&c, f) },
		"node": func() {
			n := s.Acquire(&c)
			s.Start(n, 0)
			s.Claim(n, &c)
			s.EndBody(n, nil, &c, idle{})
		},
		"1 edge": prerequisites(1), "2 edges": prerequisites(2), "3 edges": prerequisites(3),
		"4 edges": prerequisites(4),
		"7 edges": prerequisites(7),
		"hold open": func() {
			o, n := s.NewEvent(), s.Acquire(&c)
			s.Start(n, 0)
			s.Claim(n, &c)
			s.HoldOpen(n, 0, o)
			s.EndBody(n, nil, &c, idle{})
			o.Trigger()
		},
		"DontCompleteUntil": func() {
			a, b := s.NewEvent(), s.NewEvent()
			a.DontCompleteUntil(b)
			a.Trigger()
			b.Trigger()
		},
		"OnComplete":         func() { e := s.NewEvent(); e.OnComplete(g); e.Trigger() },
		"OnComplete refused": func() { graphevent.Event{}.OnComplete(g) },
		"All": func() {
			a, b := s.NewEvent(), s.NewEvent()
			s.All(a, b)
			a.Trigger()
			b.Trigger()
		},
		"All of many": func() {
			a, b := s.NewEvent(), s.NewEvent()
			s.All(a, b, a, b, a, b)
			a.Trigger()
			b.Trigger()
		},
		"Any": func() {
			a, b := s.NewEvent(), s.NewEvent()
			s.Any(a, b)
			a.Trigger()
			b.Trigger()
		},
		"looking": func() { never.IsComplete(); never.State(); never.Err() },
	} {
		run()
		require.Zero(t, testing.AllocsPerRun(200, run), name)
	}
}

// idle is a scheduler that forgets everything: the caller knows what is ready.
type idle struct{}

func (idle) Ready(graphevent.Node)     {}
func (idle) Completed(graphevent.Node) {}
func (idle) Finished(int)              {}
