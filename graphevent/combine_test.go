package graphevent_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

func TestAllCompletesWithTheLast(t *testing.T) {
	for _, n := range []int{1, 2, 4, 5, 9, 100} { // also more than a node has room for
		s := graphevent.NewStore(graphevent.Options{})
		es := manual(s, n)
		all := s.All(append(es, graphevent.Event{})...)
		require.ElementsMatch(t, es, s.Prerequisites(all, nil))
		require.Empty(t, s.Alternatives(all, nil))
		require.False(t, all.Trigger(), "not by hand")
		require.False(t, all.Fail(errBoom))
		for _, i := range append([]int{n - 1}, seq(n-1)...) {
			require.False(t, all.IsComplete())
			es[i].Trigger()
		}
		require.True(t, all.IsComplete())
		require.NoError(t, all.Err())
		requireNothingLeft(t, s)
	}
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func TestAllFailsWithTheFirstInCompletionOrder(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	es := manual(s, 3)
	all := s.All(es...)
	es[2].Fail(errCrash)
	require.False(t, all.IsComplete(), "it waits for all, also after a failure")
	es[0].Fail(errBoom)
	es[1].Trigger()
	require.Equal(t, errCrash, all.Err())
	require.Empty(t, s.Prerequisites(all, nil))
	got, _ := unseen(s)
	require.Equal(t, es[:1], got, "who saw that of all has seen the one that it came from")

	require.Equal(t, errBoom, s.All(es...).Err(), "complete at the call: in the order given")
	require.True(t, s.All(es...).IsComplete())
	require.Equal(t, errCrash, s.All(es[1], es[2]).Err())
	require.Equal(t, graphevent.Event{}, s.All())
}

func TestAllCanBeHeldOpen(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	a, b := s.NewEvent(), s.NewEvent()
	all := s.All(a)
	require.True(t, all.DontCompleteUntil(b))
	a.Trigger()
	require.False(t, all.IsComplete())
	b.Fail(errBoom)
	require.Equal(t, errBoom, all.Err())
	require.False(t, all.DontCompleteUntil(s.NewEvent()))
}

func TestAnyCompletesWithTheFirstOutcome(t *testing.T) {
	for _, n := range []int{1, 2, 5, 100} {
		for _, fail := range []bool{false, true} {
			s := graphevent.NewStore(graphevent.Options{})
			es := manual(s, n)
			first := s.Any(es...)
			require.Equal(t, graphevent.StateWaiting, first.State())
			require.ElementsMatch(t, es, s.Alternatives(first, nil))
			require.Empty(t, s.Prerequisites(first, nil))
			require.False(t, first.IsComplete())
			if fail {
				es[n/2].Fail(errBoom)
				require.Equal(t, errBoom, first.Err())
			} else {
				es[n/2].Trigger()
				require.NoError(t, first.Err())
			}
			require.True(t, first.IsComplete())
			require.Equal(t, graphevent.StateCompleted, first.State())
			require.Empty(t, s.Alternatives(first, nil))
			for _, e := range es { // losers decide nothing
				e.Fail(errCrash)
			}
			if fail {
				require.Equal(t, errBoom, first.Err())
			} else {
				require.NoError(t, first.Err())
			}
			requireNothingLeft(t, s)
		}
	}
}

func TestAnyOfACompleteOneIsThatOne(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	open, done, failed := s.NewEvent(), s.NewEvent(), s.NewEvent()
	done.Trigger()
	failed.Fail(errBoom)
	require.Equal(t, failed, s.Any(open, failed, done))
	require.Equal(t, done, s.Any(done, failed, open))
	require.Equal(t, graphevent.Event{}, s.Any(open, graphevent.Event{}))
	open.Trigger()
	requireNothingLeft(t, s)
}

// A loser's completion finds the node of the event that it lost in another life.
func TestLosersOfAnyMeetNobodyElse(t *testing.T) {
	for name, reuse := range map[string]func(s *sched, stale,
		open graphevent.Event) graphevent.Event{
		"free": func(*sched, graphevent.Event, graphevent.Event) graphevent.Event {
			return graphevent.Event{}
		},
		"manual": func(s *sched, stale, _ graphevent.Event) graphevent.Event {
			return again(s.store, stale)
		},
		"held": func(s *sched, stale, _ graphevent.Event) graphevent.Event {
			return againHeld(s, stale)
		},
		"any": func(s *sched, stale, open graphevent.Event) graphevent.Event {
			for range 1000 {
				if e := s.store.Any(open); e.Node() == stale.Node() {
					return e
				}
			}
			panic("the node is not free")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSched()
			winner, loser, open := s.store.NewEvent(), s.store.NewEvent(), s.store.NewEvent()
			first := s.store.Any(winner, loser)
			winner.Trigger()
			next := reuse(s, first, open)
			state := next.State()
			loser.Fail(errBoom)
			require.Equal(t, state, next.State())
			require.NoError(t, next.Err())
			require.Empty(t, s.store.Prerequisites(next, nil), "of the event before")
		})
	}
}

func TestAnyIsAManualEventToo(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	a, b, open := s.NewEvent(), s.NewEvent(), s.NewEvent()
	first := s.Any(a, b)
	require.True(t, first.Fail(errBoom), "a limit, say")
	require.Equal(t, errBoom, first.Err())
	require.False(t, first.Trigger())

	first = s.Any(a, b)
	require.True(t, first.DontCompleteUntil(open))
	require.Contains(t, s.Alternatives(first, nil), open)
	b.Trigger()
	require.False(t, first.IsComplete())
	require.False(t, first.Trigger(), "it is decided")
	a.Fail(errCrash)
	open.Trigger()
	require.NoError(t, first.Err())
	require.True(t, first.IsComplete())
}

func TestAnyAndAllOfFailuresAreSeenWithTheirs(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	a, b := s.NewEvent(), s.NewEvent()
	first, all := s.Any(a, b), s.All(a, b)
	a.Fail(errBoom)
	b.Trigger()
	got, _ := unseen(s)
	require.Equal(t, []graphevent.Event{a}, got, "one failure, not three")
	require.Equal(t, errBoom, first.Err())
	require.Equal(t, errBoom, all.Err())
	got, _ = unseen(s)
	require.Empty(t, got)
}

func TestAnyAllAndCallbacksAcrossStores(t *testing.T) {
	s, other := graphevent.NewStore(graphevent.Options{}), graphevent.NewStore(graphevent.Options{})
	for _, fail := range []bool{false, true} {
		mine, theirs, late := s.NewEvent(), other.NewEvent(), other.NewEvent()
		first, all := s.Any(mine, theirs, late), s.All(mine, theirs)
		require.Equal(t, s, first.Store())
		calls := 0
		require.True(t, theirs.OnComplete(func(err error) {
			calls++
			require.Equal(t, fail, err != nil)
		}))
		if fail {
			theirs.Fail(errBoom)
			require.Equal(t, errBoom, first.Err())
		} else {
			theirs.Trigger()
		}
		require.True(t, first.IsComplete())
		require.False(t, all.IsComplete())
		mine.Trigger()
		require.Equal(t, fail, all.Err() != nil)
		require.Equal(t, 1, calls)
		late.Trigger()
	}
	requireNothingLeft(t, s)
	requireNothingLeft(t, other)
}

// TestAnyRaces lets all alternatives complete at once, also while they are registered: one
// decides, and the outcome is whole.
func TestAnyRaces(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{MaxFailures: 8})
	const n = 3
	errs := [n]error{errBoom, nil, errCrash}
	var late atomics.Int64
	for range scaled(20_000) {
		es := manual(s, n)
		var wg sync.WaitGroup
		for i, e := range es {
			wg.Go(func() {
				if errs[i] == nil {
					e.Trigger()
				} else {
					e.Fail(errs[i])
				}
			})
		}
		first, all := s.Any(es...), s.All(es...)
		var calls atomics.Int32
		if !first.OnComplete(func(error) { calls.Add(1) }) {
			calls.Add(1)
			late.Add(1)
		}
		wg.Wait()
		require.True(t, first.IsComplete())
		require.Contains(t, append(errs[:], graphevent.ErrForgotten), first.Err())
		require.True(t, all.IsComplete())
		require.EqualValues(t, 1, calls.Load())
	}
	for range 8 { // only failures that hold nothing are remembered
		s.NewEvent().Fail(errBoom)
	}
	requireNothingLeft(t, s)
	made, free := s.SlabEdges()
	require.Equal(t, made, free)
}

func TestOnCompleteIsCalledOnceByTheCompleter(t *testing.T) {
	s := newSched()
	for _, want := range []error{nil, errBoom} {
		e := s.store.NewEvent()
		var got []error
		require.True(t, e.OnComplete(func(err error) {
			require.True(t, e.IsComplete())
			got = append(got, err)
			require.False(t, e.OnComplete(func(error) { t.Error("too late") }))
		}))
		if want == nil {
			e.Trigger()
		} else {
			e.Fail(want)
		}
		require.Equal(t, []error{want}, got, "inside the call, on the same goroutine")
		require.False(t, e.OnComplete(func(error) { t.Error("too late") }))
	}
	require.Empty(t, func() []graphevent.Event { es, _ := unseen(s.store); return es }(),
		"the function has seen it")
	require.False(t, graphevent.Event{}.OnComplete(func(error) { t.Error("complete") }))

	task := s.task(func(*frame) error { return errBoom })
	skipped := s.task(nil, task)
	var got error
	skipped.OnComplete(func(err error) { got = err })
	s.drain()
	require.ErrorIs(t, got, errBoom)
	require.ErrorIs(t, got, graphevent.ErrSkipped)
}

func TestOnCompleteKeepsTheOrderOfRegistration(t *testing.T) {
	s := newSched()
	var got []string
	s.tokens = func(token uint32, _ error) { got = append(got, fmt.Sprint("token ", token)) }
	e := s.store.NewEvent()
	var want []string
	for i := range uint32(10) {
		e.OnComplete(func(error) { got = append(got, fmt.Sprint("callback ", i)) })
		e.AddSubsequent(i)
		first := s.store.Any(s.store.NewEvent(), e)
		first.OnComplete(func(error) { got = append(got, fmt.Sprint("any ", i)) })
		want = append(want, fmt.Sprint("callback ", i), fmt.Sprint("token ", i))
	}
	for i := range 10 {
		// What completes by a completion follows when that has released all, in the same order.
		want = append(want, fmt.Sprint("any ", i))
	}
	e.Trigger()
	require.Equal(t, want, got)
}

func TestOnCompleteDropsItsFunction(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	done := s.NewEvent()
	done.Trigger()
	type big [1 << 16]byte
	var refs []weak.Pointer[big]
	for _, e := range []graphevent.Event{s.NewEvent(), done, s.NewEvent()} {
		b := new(big)
		refs = append(refs, weak.Make(b))
		e.OnComplete(func(error) { b[0]++ })
		runtime.GC()
		e.Fail(errBoom)
		runtime.KeepAlive(b)
	}
	runtime.GC()
	for i, ref := range refs {
		require.Nil(t, ref.Value(), "function %d is kept", i)
	}
	runtime.KeepAlive(s)
}

func TestCombiningMisusePanics(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	require.PanicsWithValue(t, "graphevent: Any of no events", func() { s.Any() })
	require.PanicsWithValue(t, "graphevent: OnComplete with a nil function", func() {
		s.NewEvent().OnComplete(nil)
	})
	require.PanicsWithValue(t, "graphevent: All of more than 2^22-1 events", func() {
		s.All(make([]graphevent.Event, graphevent.MaxEdges+1)...)
	})
}

func TestAbandonedAnyStaysAsItIs(t *testing.T) {
	s := newSched()
	a, b := s.store.NewEvent(), s.store.NewEvent()
	first, all := s.store.Any(a, b), s.store.All(a, b)
	require.True(t, s.store.Abandon(first, errCrash, s))
	require.True(t, s.store.Abandon(all, errCrash, s))
	a.Fail(errBoom)
	b.Trigger()
	require.ErrorIs(t, first.Err(), errCrash)
	require.ErrorIs(t, all.Err(), errCrash)
}

// TestLongChainsOfAnyAndAllNeedNoStack completes a million events through one trigger.
func TestLongChainsOfAnyAndAllNeedNoStack(t *testing.T) {
	length := links(1_000_000)
	for name, link := range map[string]func(s *graphevent.Store,
		e graphevent.Event) graphevent.Event{
		"Any": func(s *graphevent.Store, e graphevent.Event) graphevent.Event { return s.Any(e) },
		"All": func(s *graphevent.Store, e graphevent.Event) graphevent.Event { return s.All(e) },
		"mixed": func(s *graphevent.Store, e graphevent.Event) graphevent.Event {
			return s.All(s.Any(e, e), e)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := graphevent.NewStore(graphevent.Options{})
			first := s.NewEvent()
			last := first
			for range length {
				last = link(s, last)
			}
			called := false
			last.OnComplete(func(error) { called = true })
			onSmallStack(func() { first.Trigger() })
			require.True(t, last.IsComplete())
			require.True(t, called)
			requireNothingLeft(t, s)
		})
	}
}

// TestStaleHandlesUnderRecycling: while nodes live a million lives, the handles of old lives
// say what they said when these ended.
func TestStaleHandlesUnderRecycling(t *testing.T) {
	const kept = 64
	lives := 1_000_000
	if testing.Short() {
		lives /= 10
	}
	s := graphevent.NewStore(graphevent.Options{Releaser: &tokens{}, MaxFailures: kept})
	var good, bad, forgotten []graphevent.Event
	for range kept {
		e := s.NewEvent()
		e.Fail(errBoom)
		forgotten = append(forgotten, e)
	}
	for i := range 2 * kept {
		e := s.NewEvent()
		if i%2 == 0 {
			e.Trigger()
			good = append(good, e)
		} else {
			e.Fail(errCrash)
			bad = append(bad, e)
		}
	}
	var over, wrong atomics.Bool
	var readers, writers sync.WaitGroup
	look := func() {
		for i := range kept {
			g, b, f := good[i], bad[i], forgotten[i]
			if !g.IsComplete() || g.Err() != nil || g.AddSubsequent(1) ||
				g.OnComplete(func(error) { wrong.Store(true) }) ||
				!b.IsComplete() || !errors.Is(b.Err(), errCrash) || b.AddSubsequent(1) ||
				!f.IsComplete() || !errors.Is(f.Err(), graphevent.ErrForgotten) ||
				f.AddSubsequent(1) {
				wrong.Store(true)
			}
		}
	}
	readers.Go(func() {
		for !over.Load() {
			look()
			atomics.Gosched()
		}
	})
	for range 2 {
		writers.Go(func() {
			for range lives / 2 {
				s.NewEvent().Trigger()
			}
		})
	}
	writers.Wait()
	over.Store(true)
	readers.Wait()
	look()
	require.False(t, wrong.Load())
	made, _ := s.Nodes()
	require.Less(t, made, 1000, "nodes are used again")
}
