package graphevent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

func TestZeroEvent(t *testing.T) {
	var e graphevent.Event
	require.True(t, e.IsComplete())
	require.NoError(t, e.Err())
	require.NoError(t, e.Wait(t.Context()))
	require.False(t, e.Trigger())
	require.False(t, e.Fail(errBoom))
	require.False(t, e.DontCompleteUntil(e))
	require.False(t, e.AddSubsequent(1))
	require.Nil(t, e.Store())
	require.Zero(t, e.Node())
	require.Equal(t, "event 0", e.String())
	require.Equal(t, graphevent.StateCompleted, e.State())

	s := newSched()
	ran := false
	s.task(func(f *frame) error { f.holdOpen(e); ran = true; return nil }, e)
	s.drain()
	require.True(t, ran)
	require.Empty(t, graphevent.NewStore(graphevent.Options{}).Prerequisites(e, nil))
	require.False(t, s.store.Notify(nil, func() {}, e))
	s.requireNothingLeft(t)
}

func TestManualEvent(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	e := s.NewEvent()
	require.Same(t, s, e.Store())
	require.Equal(t, fmt.Sprintf("event %d.1", e.Node()), e.String())
	require.False(t, e.IsComplete())
	require.NoError(t, e.Err())
	require.Equal(t, graphevent.StateUntriggered, e.State())

	require.True(t, e.Trigger())
	require.True(t, e.IsComplete())
	require.NoError(t, e.Err())
	require.Equal(t, graphevent.StateCompleted, e.State())
	for range 3 {
		require.False(t, e.Trigger())
		require.False(t, e.Fail(errBoom))
		require.False(t, e.DontCompleteUntil(s.NewEvent()))
	}
	require.NoError(t, e.Err())
}

func TestFail(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	e := s.NewEvent()
	require.PanicsWithValue(t, "graphevent: Fail with a nil error", func() { e.Fail(nil) })
	require.True(t, e.Fail(errBoom))
	require.True(t, e.IsComplete())
	require.Equal(t, errBoom, e.Err())
	require.False(t, e.Trigger())
	require.False(t, e.Fail(errCrash))
	require.False(t, e.DontCompleteUntil(s.NewEvent()))
	require.Equal(t, errBoom, e.Err())
	require.Equal(t, errBoom, e.Wait(t.Context()))
}

func TestMisuse(t *testing.T) {
	s := newSched()
	e := s.hold(0, nil)
	require.PanicsWithValue(t, "graphevent: Trigger of an event that is not a manual one", func() {
		e.Trigger()
	})
	require.PanicsWithValue(t, "graphevent: Trigger of an event that is not a manual one", func() {
		e.Fail(errBoom)
	})
	require.PanicsWithValue(t, "graphevent: DontCompleteUntil of an event that is not a manual one",
		func() { e.DontCompleteUntil(s.store.NewEvent()) })
	require.PanicsWithValue(t, "graphevent: a task that waits for itself", func() { s.after(e, e) })
	require.PanicsWithValue(t, "graphevent: more than 2^22-1 prerequisites", func() {
		s.store.After(e.Node(), graphevent.MaxEdges, s.store.NewEvent())
	})
	require.PanicsWithValue(t, "graphevent: Notify of more than 2^22-1 events", func() {
		s.store.Notify(nil, func() {}, make([]graphevent.Event, graphevent.MaxEdges+1)...)
	})
	m := s.store.NewEvent()
	require.PanicsWithValue(t, "graphevent: DontCompleteUntil of an event on itself", func() {
		m.DontCompleteUntil(m)
	})
	s.store.SetCount(m, graphevent.MaxEdges+1)
	require.PanicsWithValue(t, "graphevent: more than 2^22-1 events hold one event open", func() {
		m.DontCompleteUntil(e)
	})
	require.PanicsWithValue(t, "graphevent: AddSubsequent on a store without a Releaser", func() {
		graphevent.NewStore(graphevent.Options{}).NewEvent().AddSubsequent(1)
	})
	require.PanicsWithValue(t, "graphevent: more than 2^28 incomplete events", func() {
		full := graphevent.NewStore(graphevent.Options{})
		full.Exhaust()
		full.NewEvent()
	})
	require.PanicsWithValue(t, "graphevent: Options.MaxFailures is negative", func() {
		graphevent.NewStore(graphevent.Options{MaxFailures: -1})
	})
}

// TestTriggerCountsOnce lets many goroutines trigger and fail the same events.
func TestTriggerCountsOnce(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	const callers = 4
	for range scaled(5000) {
		e := s.NewEvent()
		var wins, errored atomics.Int64
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				if i%2 == 0 {
					if e.Trigger() {
						wins.Add(1)
					}
				} else if e.Fail(errBoom) {
					wins.Add(1)
					errored.Add(1)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, wins.Load())
		require.True(t, e.IsComplete())
		require.Equal(t, errored.Load() == 1, e.Err() != nil)
	}
	requireNothingLeft(t, s)
}

func TestDontCompleteUntil(t *testing.T) {
	for _, others := range []int{1, 2, 3, 12} {
		for _, when := range []string{"before the trigger", "after the trigger"} {
			t.Run(fmt.Sprintf("%d others, %s", others, when), func(t *testing.T) {
				s := graphevent.NewStore(graphevent.Options{})
				e, os := s.NewEvent(), manual(s, others)
				for _, o := range os {
					require.True(t, e.DontCompleteUntil(o))
				}
				require.ElementsMatch(t, os, s.Prerequisites(e, nil))
				if when == "after the trigger" {
					require.True(t, e.Trigger())
					require.False(t, e.Trigger())
					require.Equal(t, graphevent.StateExecuting, e.State())
				}
				for i, o := range os {
					require.False(t, e.IsComplete())
					o.Trigger()
					require.ElementsMatch(t, os[i+1:], s.Prerequisites(e, nil))
				}
				if when == "before the trigger" {
					require.False(t, e.IsComplete())
					require.Equal(t, graphevent.StateUntriggered, e.State())
					require.True(t, e.DontCompleteUntil(os[0]),
						"what is complete holds nothing open, but the call was in time")
					require.True(t, e.Trigger())
				}
				require.True(t, e.IsComplete())
				require.NoError(t, e.Err())
				requireNothingLeft(t, s)
			})
		}
	}
}

func TestDontCompleteUntilFailures(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(e, a, b graphevent.Event)
		want error
	}{
		"other fails": {func(e, a, b graphevent.Event) {
			e.DontCompleteUntil(a)
			e.Trigger()
			a.Fail(errBoom)
		}, errBoom},
		"other failed before": {func(e, a, b graphevent.Event) {
			a.Fail(errBoom)
			e.DontCompleteUntil(a)
			e.Trigger()
		}, errBoom},
		"the first of two counts": {func(e, a, b graphevent.Event) {
			hold(e, a, b)
			e.Trigger()
			b.Fail(errBoom)
			a.Fail(errCrash)
		}, errBoom},
		"its own goes before": {func(e, a, b graphevent.Event) {
			e.DontCompleteUntil(a)
			a.Fail(errBoom)
			e.Fail(errCrash)
		}, errCrash},
		"its own, then the others": {func(e, a, b graphevent.Event) {
			hold(e, a, b)
			e.Fail(errCrash)
			a.Trigger()
			b.Fail(errBoom)
		}, errCrash},
		"one of two": {func(e, a, b graphevent.Event) {
			hold(e, a, b)
			e.Trigger()
			b.Trigger()
			a.Fail(errBoom)
		}, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			s := graphevent.NewStore(graphevent.Options{})
			e, a, b := s.NewEvent(), s.NewEvent(), s.NewEvent()
			c.do(e, a, b)
			require.True(t, e.IsComplete())
			require.Equal(t, c.want, e.Err())
		})
	}
}

// TestOnEdge: whoever looked at what an event waits for hears of more.
func TestOnEdge(t *testing.T) {
	calls := 0
	s := graphevent.NewStore(graphevent.Options{OnEdge: func() { calls++ }})
	e, a, foreign := s.NewEvent(), s.NewEvent(),
		graphevent.NewStore(graphevent.Options{}).NewEvent()
	e.DontCompleteUntil(a)
	require.Equal(t, 1, calls)
	e.DontCompleteUntil(foreign)
	require.Equal(t, 2, calls)
	a.Trigger()
	e.DontCompleteUntil(a) // complete: nothing to wait for
	e.DontCompleteUntil(graphevent.Event{})
	foreign.Trigger()
	e.Trigger()
	e.DontCompleteUntil(s.NewEvent()) // too late
	require.Equal(t, 2, calls)
}

func hold(e graphevent.Event, others ...graphevent.Event) {
	for _, o := range others {
		e.DontCompleteUntil(o)
	}
}

// TestDontCompleteUntilConcurrently lets goroutines hold events open that are being
// triggered, until others that are being triggered or failed, too.
func TestDontCompleteUntilConcurrently(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	const holders, each = 3, 6
	for round := range scaled(3000) {
		e, os := s.NewEvent(), manual(s, holders*each)
		var accepted [holders * each]bool
		early := false // an event that held e open was incomplete when e completed
		called := make(chan struct{})
		require.True(t, s.Notify(nil, func() { close(called) }, e))
		var wg, held sync.WaitGroup
		held.Add(holders)
		for h := range holders {
			wg.Go(func() {
				for i := h * each; i < (h+1)*each; i++ {
					accepted[i] = e.DontCompleteUntil(os[i])
				}
				held.Done()
			})
		}
		wg.Go(func() {
			for i, o := range os {
				if i%7 == 6 {
					o.Fail(errBoom)
				} else {
					o.Trigger()
				}
			}
		})
		wg.Go(func() {
			if round%2 == 0 {
				held.Wait()
			}
			e.Trigger()
		})
		wg.Go(func() {
			<-called
			held.Wait()
			for i, ok := range accepted {
				early = early || ok && !os[i].IsComplete()
			}
		})
		wg.Wait()
		require.False(t, early)
		require.True(t, e.IsComplete())
		if round%2 == 0 {
			require.NotContains(t, accepted[:], false)
			require.Equal(t, errBoom, e.Err())
		}
		want := false
		for i, ok := range accepted {
			want = want || ok && i%7 == 6
		}
		require.Equal(t, want, e.Err() != nil)
	}
	requireNothingLeft(t, s)
}

func TestAddSubsequent(t *testing.T) {
	r := &tokens{}
	s := graphevent.NewStore(graphevent.Options{Releaser: r})
	for _, fail := range []error{nil, errBoom} {
		*r = tokens{}
		e := s.NewEvent()
		var want []uint32
		for i := range uint32(100) {
			require.True(t, e.AddSubsequent(i<<25|i))
			want = append(want, i<<25|i)
		}
		require.Empty(t, r.got)
		if fail == nil {
			e.Trigger()
		} else {
			e.Fail(fail)
		}
		require.False(t, e.AddSubsequent(7))
		require.Equal(t, want, r.got)
		for _, err := range r.errs {
			require.Equal(t, fail, err)
		}
	}
	made, free := s.SlabEdges()
	require.Equal(t, made, free)
}

// A counter is a Releaser that counts each token and keeps the order.
type counter struct {
	mu    sync.Mutex
	got   []int
	order []uint32
}

func (r *counter) Release(token uint32, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got[token]++
	r.order = append(r.order, token)
}

// TestAddSubsequentRacesCompletion: a token whose registration was accepted is released
// exactly once and in the order of registration, any other never; and once refused, always
// refused.
func TestAddSubsequentRacesCompletion(t *testing.T) {
	const callers, each = 2, 200
	r := &counter{}
	s := graphevent.NewStore(graphevent.Options{Releaser: r})
	rng := rand.New(rand.NewPCG(5, 6))
	mixed := 0
	for range scaled(1500) {
		r.got, r.order = make([]int, callers*each), r.order[:0]
		e := s.NewEvent()
		var accepted [callers]uint32
		var wrong atomics.Bool
		var here, tried atomics.Int64
		var wg sync.WaitGroup
		for c := range uint32(callers) {
			wg.Go(func() {
				for here.Add(1); here.Load() < callers; {
					atomics.Gosched()
				}
				for i := range uint32(each) {
					ok := e.AddSubsequent(c*each + i)
					if ok && accepted[c] < i {
						wrong.Store(true)
					}
					if ok {
						accepted[c]++
					}
					tried.Add(1)
				}
			})
		}
		for after := rng.Int64N(callers * each); tried.Load() < after; {
			atomics.Gosched()
		}
		e.Trigger()
		wg.Wait()
		require.False(t, wrong.Load(), "accepted after a refusal")
		total := 0
		for c := range uint32(callers) {
			total += int(accepted[c])
			for i := range uint32(each) {
				want := 0
				if i < accepted[c] {
					want = 1
				}
				require.Equal(t, want, r.got[c*each+i], "token %d of %d", i, accepted[c])
			}
			mine := slices.DeleteFunc(slices.Clone(r.order), func(x uint32) bool {
				return x/each != c
			})
			require.True(t, slices.IsSorted(mine), "released out of order")
		}
		require.Len(t, r.order, total)
		if 0 < total && total < callers*each {
			mixed++
		}
	}
	requireNothingLeft(t, s)
	t.Logf("%d rounds had accepted and refused tokens", mixed)
}

// TestReleaseOrder registers subsequents of all kinds on one event.
func TestReleaseOrder(t *testing.T) {
	s := newSched()
	var got []string
	s.onReady = func(n graphevent.Node) { got = append(got, fmt.Sprint("node ", n)) }
	s.tokens = func(token uint32, _ error) { got = append(got, fmt.Sprint("token ", token)) }
	e, other := s.store.NewEvent(), s.store.NewEvent()
	var want []string
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range uint32(60) {
		switch rng.IntN(4) {
		case 0:
			require.True(t, e.AddSubsequent(i))
			want = append(want, fmt.Sprint("token ", i))
		case 1:
			require.True(t, s.store.Notify(nil, func() {
				got = append(got, fmt.Sprint("call ", i))
			}, e))
			want = append(want, fmt.Sprint("call ", i))
		case 2:
			n := s.task(nil, e)
			want = append(want, fmt.Sprint("node ", n.Node()))
		case 3: // an edge of the slab
			n := s.task(nil, other, other, other, other, other, e)
			want = append(want, fmt.Sprint("node ", n.Node()))
		}
	}
	other.Trigger()
	require.Empty(t, got)
	e.Trigger()
	require.Equal(t, want, got)
	s.drain()
	s.requireNothingLeft(t)
}

func TestNotify(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	calls := 0
	f := func() { calls++ }

	require.False(t, s.Notify(nil, f))
	es := manual(s, 12)
	require.True(t, s.Notify(nil, f, es...))
	require.True(t, s.Notify(nil, f, es[3], es[3], es[3]))
	for i, e := range es {
		require.Equal(t, i > 3, calls == 1)
		e.Trigger()
	}
	require.Equal(t, 2, calls)
	require.False(t, s.Notify(nil, f, es...))

	a, b := s.NewEvent(), s.NewEvent()
	a.Fail(errBoom)
	require.False(t, s.Notify(nil, f, a))
	var c graphevent.Cache
	require.True(t, s.Notify(&c, f, a, b))
	require.Equal(t, 2, calls)
	b.Fail(errCrash)
	require.Equal(t, 3, calls)
	seen := 0
	s.Failures(func(graphevent.Event, error) bool { seen++; return true })
	require.Equal(t, 2, seen, "Notify marked a failure as seen")
	s.Flush(&c)
	require.Equal(t, 2, s.Remembered())
	requireNothingLeft(t, s)
}

// TestNotifyNested lets the function complete the next event and register itself there.
func TestNotifyNested(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	es := manual(s, 100)
	i := 0
	var f func()
	f = func() {
		if i++; i < len(es) {
			s.Notify(nil, f, es[i])
			es[i].Trigger()
		}
	}
	require.True(t, s.Notify(nil, f, es[0]))
	es[0].Trigger()
	require.Equal(t, len(es), i)
	requireNothingLeft(t, s)
}

// TestNotifyDropsItsFunction: a store keeps no function alive that was called or refused.
func TestNotifyDropsItsFunction(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	done := s.NewEvent()
	done.Trigger()
	type big [1 << 16]byte
	var refs []weak.Pointer[big]
	for _, e := range []graphevent.Event{s.NewEvent(), done, s.NewEvent()} {
		b := new(big)
		refs = append(refs, weak.Make(b))
		s.Notify(nil, func() { b[0]++ }, e)
		runtime.GC()
		e.Trigger()
		runtime.KeepAlive(b)
	}
	runtime.GC()
	for i, ref := range refs {
		require.Nil(t, ref.Value(), "function %d is kept", i)
	}
	runtime.KeepAlive(s)
}

func TestWait(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	ctx, cancel := context.WithCancelCause(t.Context())

	t.Run("complete", func(t *testing.T) {
		e := s.NewEvent()
		e.Trigger()
		require.NoError(t, e.Wait(t.Context()))
	})
	t.Run("completes", func(t *testing.T) {
		for _, ctx := range []context.Context{ctx, context.Background()} {
			for _, want := range []error{nil, errBoom} {
				e := s.NewEvent()
				var wg sync.WaitGroup
				for range 3 {
					wg.Go(func() {
						if err := e.Wait(ctx); err != want {
							t.Errorf("got %v, want %v", err, want)
						}
					})
				}
				runtime.Gosched()
				if want == nil {
					e.Trigger()
				} else {
					e.Fail(want)
				}
				wg.Wait()
			}
		}
	})
	t.Run("canceled", func(t *testing.T) {
		e := s.NewEvent()
		got := make(chan error)
		go func() { got <- e.Wait(ctx) }()
		runtime.Gosched()
		cancel(errCrash)
		require.Equal(t, errCrash, <-got)
		require.Equal(t, errCrash, e.Wait(ctx), "canceled before")
		require.False(t, e.IsComplete())
		e.Fail(errBoom)
		require.Equal(t, errBoom, e.Wait(ctx), "a complete event goes before the context")
	})
	t.Run("replaced", func(t *testing.T) {
		s := graphevent.NewStore(graphevent.Options{
			Wait: func(_ context.Context, e graphevent.Event) error { e.Trigger(); return errBoom },
		})
		e := s.NewEvent()
		require.Equal(t, errBoom, e.Wait(t.Context()))
		require.NoError(t, e.Wait(t.Context()))
	})
	requireNothingLeft(t, s)
}

// TestCompletionSynchronizes runs under the race detector: whoever sees an event complete
// sees what was written before.
func TestCompletionSynchronizes(t *testing.T) {
	got := make(chan int, 1)
	x := 0
	s := newSched()
	s.tokens = func(uint32, error) { got <- x }
	for i := range scaled(2000) {
		e, o := s.store.NewEvent(), s.store.NewEvent()
		e.DontCompleteUntil(o)
		e.AddSubsequent(1)
		x = 0
		var wg sync.WaitGroup
		wg.Go(func() { e.Trigger() })
		wg.Go(func() {
			x = i
			o.Trigger()
		})
		wg.Go(func() {
			for !e.IsComplete() {
				atomics.Gosched()
			}
			if x != i {
				t.Errorf("x = %d, want %d", x, i)
			}
		})
		wg.Wait()
		require.Equal(t, i, <-got)
	}
}

// TestForeignEvents crosses the border between two stores, in both directions.
func TestForeignEvents(t *testing.T) {
	for _, fail := range []error{nil, errBoom} {
		finish := func(e graphevent.Event) {
			if fail == nil {
				e.Trigger()
			} else {
				e.Fail(fail)
			}
		}
		a, b := newSched(), newSched()
		before, after := b.store.NewEvent(), b.store.NewEvent()
		finish(before)

		ran := map[string]bool{}
		task := func(name string, ps ...graphevent.Event) graphevent.Event {
			return a.task(func(*frame) error { ran[name] = true; return nil }, ps...)
		}
		tb := task("complete", before)
		ta := task("incomplete", after)
		tm := task("mixed", a.store.NewEvent(), after)
		m := a.store.NewEvent()
		require.True(t, m.DontCompleteUntil(after))
		held := a.task(func(f *frame) error { f.holdOpen(after); return nil })
		called := false
		require.True(t, a.store.Notify(nil, func() { called = true }, after, before))
		m.Trigger()
		a.drain()
		require.Equal(t, fail == nil, ran["complete"])
		require.False(t, ran["incomplete"])
		require.False(t, m.IsComplete())
		require.False(t, held.IsComplete())
		require.Equal(t, graphevent.StateWaiting, ta.State())
		require.Empty(t, a.store.Prerequisites(ta, nil), "it is none of this store's")

		finish(after)
		a.drain()
		require.Equal(t, fail == nil, ran["incomplete"])
		require.False(t, ran["mixed"])
		require.True(t, called)
		for _, e := range []graphevent.Event{m, held} {
			require.True(t, e.IsComplete())
			require.Equal(t, fail, e.Err())
		}
		for _, e := range []graphevent.Event{tb, ta} {
			require.True(t, e.IsComplete())
			if fail == nil {
				require.NoError(t, e.Err())
			} else {
				require.ErrorIs(t, e.Err(), fail)
				require.ErrorIs(t, e.Err(), graphevent.ErrSkipped)
			}
		}
		require.False(t, tm.IsComplete())
	}
}

// TestForeignChain alternates between two stores, one link each.
func TestForeignChain(t *testing.T) {
	a, b := graphevent.NewStore(graphevent.Options{}), graphevent.NewStore(graphevent.Options{})
	first := a.NewEvent()
	last := first
	for range 500 {
		for _, s := range []*graphevent.Store{b, a} {
			e := s.NewEvent()
			e.DontCompleteUntil(last)
			e.Trigger()
			last = e
		}
	}
	require.False(t, last.IsComplete())
	first.Trigger()
	require.True(t, last.IsComplete())
	requireNothingLeft(t, a)
	requireNothingLeft(t, b)
}

// onSmallStack runs f on a stack that cannot grow far.
func onSmallStack(f func()) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 10))
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// TestLongChainsNeedNoStack completes a million events through one trigger.
func TestLongChainsNeedNoStack(t *testing.T) {
	length := links(1_000_000)
	t.Run("success", func(t *testing.T) {
		s := graphevent.NewStore(graphevent.Options{})
		first := s.NewEvent()
		last := first
		for range length {
			e := s.NewEvent()
			e.DontCompleteUntil(last)
			e.Trigger()
			last = e
		}
		require.False(t, last.IsComplete())
		onSmallStack(func() { first.Trigger() })
		require.True(t, last.IsComplete())
		requireNothingLeft(t, s)
	})
	t.Run("skipped", func(t *testing.T) {
		s := newSched()
		first := s.store.NewEvent()
		last := first
		for range length {
			last = s.task(nil, last)
		}
		onSmallStack(func() { first.Fail(errBoom) })
		require.ErrorIs(t, last.Err(), errBoom)
		require.EqualValues(t, length, s.completed.Load())
		require.LessOrEqual(t, s.store.Remembered(), graphevent.DefaultMaxFailures)
	})
}

func TestErrors(t *testing.T) {
	p := &graphevent.PanicError{Value: errBoom, Stack: []byte("stack")}
	require.Equal(t, "panic: boom", p.Error())
	require.ErrorIs(t, p, errBoom)
	require.NoError(t, errors.Unwrap(&graphevent.PanicError{Value: 1}))

	s := newSched()
	a := s.store.NewEvent()
	b := s.task(nil, a)
	c := s.task(nil, b)
	a.Fail(p)
	for _, e := range []graphevent.Event{b, c} {
		require.ErrorIs(t, e.Err(), graphevent.ErrSkipped)
		require.ErrorIs(t, e.Err(), errBoom)
		var got *graphevent.PanicError
		require.ErrorAs(t, e.Err(), &got)
		require.Same(t, p, got)
		require.Equal(t, "skipped: a prerequisite failed: panic: boom", e.Err().Error(),
			"the cause, once")
	}
}
