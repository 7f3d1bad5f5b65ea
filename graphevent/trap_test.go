package graphevent_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

// TestTrap03_SetUpLock completes prerequisites between the calls of After: without the lock
// the task would be ready as soon as all that it has so far are complete.
func TestTrap03_SetUpLock(t *testing.T) {
	for edges := range 9 {
		for late := range 1 << edges { // those that complete only after the launch
			s := newSched()
			e := s.hold(0, nil)
			n, registered := e.Node(), uint32(0)
			var rest []graphevent.Event
			for i := range edges {
				p := s.store.NewEvent()
				if s.store.After(n, uint32(i), p) {
					registered++
				}
				if late>>i&1 == 0 {
					p.Trigger()
				} else {
					rest = append(rest, p)
				}
				require.EqualValues(t, 0, s.readied.Load())
				require.False(t, s.store.TryClaim(e))
				require.True(t, s.store.Held(e))
			}
			require.EqualValues(t, edges, registered)
			got := s.store.Launch(e, registered, nil, s)
			require.Equal(t, len(rest) == 0, got == graphevent.LaunchReady)
			for _, p := range rest {
				require.EqualValues(t, 0, s.readied.Load())
				p.Trigger()
			}
			require.Equal(t, len(rest) != 0, s.readied.Load() == 1)
		}
	}
}

// TestTrap03_CountBeforeRegistering lets what holds an event open complete at once, from
// other goroutines: registered before it is counted, it would take the last reason away.
func TestTrap03_CountBeforeRegistering(t *testing.T) {
	s := newSched()
	for range scaled(10_000) {
		e, o, p := s.store.NewEvent(), s.store.NewEvent(), s.store.NewEvent()
		var early atomics.Bool
		task := s.task(func(f *frame) error {
			f.holdOpen(o)
			if f.e.IsComplete() {
				early.Store(true)
			}
			return nil
		})
		var wg sync.WaitGroup
		wg.Go(func() { o.Trigger() })
		wg.Go(func() { p.Trigger() })
		e.DontCompleteUntil(p)
		e.DontCompleteUntil(o)
		s.drain()
		require.False(t, early.Load())
		require.False(t, e.IsComplete(), "nobody has triggered it")
		require.True(t, e.Trigger())
		wg.Wait()
		require.True(t, e.IsComplete())
		require.True(t, task.IsComplete())
	}
	s.requireNothingLeft(t)
}

// TestTrap04_CloseAndAddInOneStep stops a registration before its last step and lets
// everything happen that can come between. It must fail then, whatever the word looks like.
func TestTrap04_CloseAndAddInOneStep(t *testing.T) {
	for name, between := range map[string]func(s *graphevent.Store, e graphevent.Event){
		"triggered": func(s *graphevent.Store, e graphevent.Event) { e.Trigger() },
		"failed":    func(s *graphevent.Store, e graphevent.Event) { e.Fail(errBoom) },
		"abandoned": func(s *graphevent.Store, e graphevent.Event) {
			s.Abandon(e, errBoom, nil)
		},
		"recycled": func(s *graphevent.Store, e graphevent.Event) {
			e.Trigger()
			again(s, e)
		},
		"recycled and complete": func(s *graphevent.Store, e graphevent.Event) {
			e.Trigger()
			again(s, e).Trigger()
		},
		"forgotten and recycled": func(s *graphevent.Store, e graphevent.Event) {
			e.Fail(errBoom)
			s.NewEvent().Fail(errBoom)
			again(s, e)
		},
		"another was faster": func(s *graphevent.Store, e graphevent.Event) { e.AddSubsequent(9) },
	} {
		for _, subsequents := range []uint32{0, 2} {
			t.Run(fmt.Sprint(name, " with ", subsequents), func(t *testing.T) {
				r := &tokens{}
				s := graphevent.NewStore(graphevent.Options{Releaser: r, MaxFailures: 1})
				e := s.NewEvent()
				for i := range subsequents {
					require.True(t, e.AddSubsequent(i))
				}
				swap := e.StallPush(7)
				require.NotNil(t, swap)
				between(s, e)
				require.False(t, swap())
				if name == "another was faster" {
					require.True(t, e.StallPush(8)())
					e.Trigger()
					require.Equal(t, append([]uint32{0, 1}[:subsequents], 9, 8), r.got)
					return
				}
				require.Nil(t, e.StallPush(8))
				require.Len(t, r.got, int(subsequents))
			})
		}
	}
}

// again makes events until one lives in the node of e, which is complete.
func again(s *graphevent.Store, e graphevent.Event) graphevent.Event {
	for range 1000 {
		if f := s.NewEvent(); f.Node() == e.Node() {
			return f
		}
	}
	panic("the node is not free")
}

// TestTrap07_NoWorkerNeeded: what a body was held open for completes its event, and skips
// and readies what depends on it, on the goroutine that completes that.
func TestTrap07_NoWorkerNeeded(t *testing.T) {
	for _, fail := range []bool{false, true} {
		s := newSched()
		o := s.store.NewEvent()
		e := s.task(func(f *frame) error { f.holdOpen(o); return nil })
		s.drain()
		next, m := s.task(nil, e), s.store.NewEvent()
		m.DontCompleteUntil(next)
		if fail {
			m.Trigger()
			o.Fail(errBoom)
			require.True(t, next.IsComplete())
			require.True(t, m.IsComplete())
			continue
		}
		o.Trigger()
		require.True(t, e.IsComplete())
		require.Equal(t, graphevent.StateReady, next.State())
	}
}

// TestTrap08_Tombstone runs a task early while its entry is queued: the node serves nobody
// else before the entry was popped, and the entry runs nothing.
func TestTrap08_Tombstone(t *testing.T) {
	for _, order := range []string{"complete, pop", "pop, complete"} {
		for _, how := range []string{"success", "held open", "failure", "failure, forgotten"} {
			t.Run(order+"; "+how, func(t *testing.T) {
				s := newSched(func(o *graphevent.Options) { o.MaxFailures = 2 })
				var c graphevent.Cache
				o := s.store.NewEvent()
				runs := 0
				e := s.task(func(f *frame) error {
					runs++
					if how == "held open" {
						f.holdOpen(o)
					}
					if how == "failure" || how == "failure, forgotten" {
						return errBoom
					}
					return nil
				})
				require.True(t, s.store.TryClaim(e))
				require.False(t, s.store.TryClaim(e))
				complete := func() {
					s.run(e.Node(), &c)
					o.Trigger()
					if how == "failure, forgotten" {
						for range 2 {
							s.store.NewEvent().Fail(errCrash)
						}
						require.Equal(t, graphevent.ErrForgotten, e.Err())
					}
					require.True(t, e.IsComplete())
				}
				pop := func() {
					n, ok := s.queue.Pop()
					require.True(t, ok)
					require.Equal(t, e.Node(), n)
					require.False(t, s.store.Claim(n, &c))
				}
				requireAway := func() {
					t.Helper()
					var nodes []graphevent.Node
					for range 1000 {
						nodes = append(nodes, s.store.Acquire(&c))
					}
					require.False(t, slices.Contains(nodes, e.Node()),
						"the node serves somebody else")
					for _, n := range nodes {
						s.store.Discard(n, nil)
					}
				}
				if order == "complete, pop" {
					complete()
					requireAway()
					pop()
				} else {
					pop()
					requireAway()
					complete()
				}
				require.Equal(t, 1, runs)
				s.store.Flush(&c)
				s.requireNothingLeft(t)
			})
		}
	}
}

// TestTrap08_OneExecutor lets goroutines claim tasks early while workers pop them.
func TestTrap08_OneExecutor(t *testing.T) {
	s := newSched()
	var current atomics.Pointer[graphevent.Event]
	var over atomics.Bool
	var wg sync.WaitGroup
	var early atomics.Int64
	for range 2 {
		wg.Go(func() {
			var c graphevent.Cache
			for !over.Load() {
				if e := current.Load(); e != nil && s.store.TryClaim(*e) {
					early.Add(1)
					s.run(e.Node(), &c)
				}
				atomics.Gosched()
			}
			s.store.Flush(&c)
		})
	}
	s.start(2)
	for i := range scaled(10_000) {
		var runs atomics.Int64
		p, o := s.store.NewEvent(), s.store.NewEvent()
		e := s.hold(0, func(f *frame) error {
			runs.Add(1)
			if i%2 == 0 {
				f.holdOpen(o)
			}
			return nil
		})
		s.after(e, p)
		current.Store(&e)
		s.launch(e)
		p.Trigger()
		if i%4 == 0 {
			current.Store(nil)
		}
		o.Trigger()
		require.NoError(t, await(e))
		require.EqualValues(t, 1, runs.Load())
	}
	over.Store(true)
	wg.Wait()
	s.stop()
	s.requireNothingLeft(t)
	t.Logf("%d were claimed early", early.Load())
}

// TestTrap08_StaleClaim stops an early claim before its last step while the node goes
// through the rest of its life, or of several.
func TestTrap08_StaleClaim(t *testing.T) {
	for lives := range 3 {
		s := newSched()
		e := s.task(nil)
		swap := s.store.StallTryClaim(e)
		require.NotNil(t, swap)
		s.drain()
		f := e
		for range lives {
			f = s.task(nil)
			require.Equal(t, e.Node(), f.Node())
			if lives == 2 {
				s.drain()
			}
		}
		require.False(t, swap())
		require.Nil(t, s.store.StallTryClaim(e))
		require.False(t, s.store.TryClaim(e))
		s.drain()
		require.True(t, f.IsComplete())
		s.requireNothingLeft(t)
	}
}

// TestTrap13_GenerationWrap starts nodes a few lives before the end of the counter: each is
// retired in time, and no handle ever matches again.
func TestTrap13_GenerationWrap(t *testing.T) {
	const lives = 3
	s := graphevent.NewStoreAt(graphevent.Options{MaxFailures: 2}, graphevent.LastGen-lives)
	used := map[graphevent.Node]int{}
	seen := map[graphevent.Event]bool{}
	var all []graphevent.Event
	rng := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		e := s.NewEvent()
		require.False(t, seen[e], "the handle was in use before")
		seen[e] = true
		require.Less(t, e.Generation(), uint64(graphevent.LastGen))
		require.False(t, e.IsComplete())
		used[e.Node()]++
		if rng.IntN(3) == 0 {
			e.Fail(errBoom)
		} else {
			e.Trigger()
		}
		all = append(all, e)
	}
	for n, times := range used {
		require.LessOrEqual(t, times, lives, n)
	}
	for _, e := range all {
		require.True(t, e.IsComplete())
		require.Equal(t, graphevent.StateCompleted, e.State())
		require.False(t, e.Trigger())
		require.False(t, e.DontCompleteUntil(graphevent.Event{}))
	}
	for range s.Incomplete {
		t.Error("an event is incomplete")
	}
	made, free := s.Nodes()
	require.Less(t, free, made, "no node was retired")
}

// TestTrap13_RetiredTasks is the same for tasks, with caches, edges of the slab and
// tombstones.
func TestTrap13_RetiredTasks(t *testing.T) {
	s := newSched()
	at := graphevent.NewStoreAt(graphevent.Options{
		Scheduler: s,
		Grow:      func(limit graphevent.Node) { s.colds.Grow(uint32(limit) - 1) },
	}, graphevent.LastGen-1)
	s.store = at
	used := map[graphevent.Node]bool{}
	p := s.store.NewEvent()
	for i := range 300 {
		e := s.task(nil, p, p, p, p, p, p)
		require.False(t, used[e.Node()], "a node has one life here")
		used[e.Node()] = true
		q := s.store.NewEvent()
		require.False(t, used[q.Node()])
		used[q.Node()] = true
		p.Trigger()
		p = q
		if i%2 == 0 {
			require.True(t, s.store.TryClaim(e))
			s.run(e.Node(), nil)
		}
		s.drain()
		require.True(t, e.IsComplete())
	}
	made, free := s.store.SlabEdges()
	require.Equal(t, made, free)
}

// TestTrap13_HeadABA: within a life the list only grows, so a word that is back at its old
// value belongs to another life and differs in its generation.
func TestTrap13_HeadABA(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{Releaser: &tokens{}})
	e := s.NewEvent()
	swap, hold := e.StallPush(1), e.StallHold()
	e.Trigger()
	f := again(s, e) // an empty list, as e had when the push looked, and a count of one
	require.False(t, swap())
	require.False(t, hold())
	require.True(t, f.Trigger())
	require.True(t, f.IsComplete())
}

// TestTrap14_StaleHandle uses handles of events whose nodes live on as other events.
func TestTrap14_StaleHandle(t *testing.T) {
	for name, reuse := range map[string]func(s *sched, stale graphevent.Event){
		"free":   func(*sched, graphevent.Event) {},
		"manual": func(s *sched, stale graphevent.Event) { again(s.store, stale) },
		"held":   func(s *sched, stale graphevent.Event) { againHeld(s, stale) },
		"held, waiting": func(s *sched, stale graphevent.Event) {
			s.after(againHeld(s, stale), s.store.NewEvent())
		},
		"waiting": func(s *sched, stale graphevent.Event) {
			e := againHeld(s, stale)
			s.after(e, s.store.NewEvent())
			s.launch(e)
		},
		"ready":  func(s *sched, stale graphevent.Event) { s.launch(againHeld(s, stale)) },
		"failed": func(s *sched, stale graphevent.Event) { again(s.store, stale).Fail(errBoom) },
		"executing": func(s *sched, stale graphevent.Event) {
			e := againHeld(s, stale)
			s.launch(e)
			s.store.TryClaim(e)
		},
		"function": func(s *sched, stale graphevent.Event) {
			for range 1000 {
				s.store.Notify(nil, func() {}, s.store.NewEvent())
			}
		},
	} {
		for _, kind := range []string{"manual", "task"} {
			t.Run(kind+", now "+name, func(t *testing.T) {
				s := newSched()
				s.tokens = func(token uint32, _ error) { t.Errorf("token %d was released", token) }
				var stale graphevent.Event
				if kind == "manual" {
					stale = s.store.NewEvent()
					stale.Trigger()
				} else {
					stale = s.task(nil)
					s.drain()
				}
				reuse(s, stale)
				require.True(t, stale.IsComplete())
				require.NoError(t, stale.Err())
				require.NoError(t, stale.Wait(t.Context()))
				require.Equal(t, graphevent.StateCompleted, stale.State())
				require.False(t, stale.AddSubsequent(1))
				require.False(t, s.store.TryClaim(stale))
				require.False(t, s.store.Held(stale))
				require.False(t, s.store.Abandon(stale, errBoom, s))
				require.False(t, s.store.Notify(nil, func() { t.Error("called") }, stale))
				require.Equal(t, graphevent.LaunchNotHeld, s.store.Launch(stale, 0, nil, s))
				require.Empty(t, s.store.Prerequisites(stale, nil))
				if kind == "manual" {
					require.False(t, stale.Trigger())
					require.False(t, stale.Fail(errBoom))
					require.False(t, stale.DontCompleteUntil(s.store.NewEvent()))
				}
				ran := false
				e := s.hold(0, func(f *frame) error { f.holdOpen(stale); ran = true; return nil })
				s.after(e, stale)
				require.Equal(t, graphevent.LaunchReady, s.launch(e))
				s.drain()
				require.True(t, ran)
				require.NoError(t, e.Err())
			})
		}
	}
}

// againHeld holds tasks until one lives in the node of e, which is complete.
func againHeld(s *sched, e graphevent.Event) graphevent.Event {
	for range 1000 {
		if f := s.hold(0, nil); f.Node() == e.Node() {
			return f
		}
	}
	panic("the node is not free")
}

// TestTrap14_FailedPrerequisite: a prerequisite that failed before, and one whose failure
// was forgotten, skip a task exactly as one that fails later.
func TestTrap14_FailedPrerequisite(t *testing.T) {
	s := newSched(func(o *graphevent.Options) { o.MaxFailures = 4 })
	later, before, forgotten := s.store.NewEvent(), s.store.NewEvent(), s.store.NewEvent()
	forgotten.Fail(errBoom)
	for range 4 {
		require.NotEqual(t, graphevent.ErrForgotten, forgotten.Err())
		s.store.NewEvent().Fail(errCrash)
	}
	require.Equal(t, graphevent.ErrForgotten, forgotten.Err())
	before.Fail(errBoom)
	es := map[graphevent.Event]error{}
	for p, want := range map[graphevent.Event]error{later: errBoom, before: errBoom,
		forgotten: graphevent.ErrForgotten} {
		es[s.task(func(*frame) error {
			t.Error("it ran")
			return nil
		}, s.store.NewEvent(), p)] = want
		es[s.task(func(*frame) error { t.Error("it ran"); return nil }, p)] = want
		m := s.store.NewEvent()
		m.DontCompleteUntil(p)
		m.Trigger()
		es[m] = want
	}
	later.Fail(errBoom)
	s.drain()
	n := 0
	for e, want := range es {
		if !e.IsComplete() {
			n++ // the ones that wait for something else as well
			continue
		}
		if err := e.Err(); err != graphevent.ErrForgotten {
			require.ErrorIs(t, err, want)
		}
	}
	require.Equal(t, 3, n)
}
