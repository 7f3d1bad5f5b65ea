package graphevent_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

var errGaveUp = fmt.Errorf("gave up: %w", graphevent.ErrClosed)

// abandonable makes an event in every state that Abandon ends, and says what the failure of
// an abandoned one must wrap.
var abandonable = map[string]struct {
	make    func(s *sched, p graphevent.Event) graphevent.Event
	skipped bool
}{
	"held": {func(s *sched, p graphevent.Event) graphevent.Event {
		e := s.hold(0, nil)
		s.after(e, p)
		return e
	}, true},
	"waiting": {func(s *sched, p graphevent.Event) graphevent.Event {
		return s.task(nil, p)
	}, true},
	"spilled": {func(s *sched, p graphevent.Event) graphevent.Event {
		return s.task(nil, p, p, p, p, p, p)
	}, true},
	"held open": {func(s *sched, p graphevent.Event) graphevent.Event {
		e := s.task(func(f *frame) error { f.holdOpen(p, p, p, p, p, p); return nil })
		s.drain()
		return e
	}, false},
	"held open, entry queued": {func(s *sched, p graphevent.Event) graphevent.Event {
		e := s.task(func(f *frame) error { f.holdOpen(p); return nil })
		if !s.store.TryClaim(e) || s.run(e.Node(), nil) {
			panic("not held open")
		}
		return e
	}, false},
	"untriggered": {func(s *sched, p graphevent.Event) graphevent.Event {
		e := s.store.NewEvent()
		e.DontCompleteUntil(p)
		return e
	}, false},
	"triggered": {func(s *sched, p graphevent.Event) graphevent.Event {
		e := s.store.NewEvent()
		e.DontCompleteUntil(p)
		e.Trigger()
		return e
	}, false},
}

func TestAbandon(t *testing.T) {
	for name, c := range abandonable {
		t.Run(name, func(t *testing.T) {
			s := newSched()
			p := s.store.NewEvent()
			e := c.make(s, p)
			next := s.task(nil, e)
			require.True(t, s.store.Abandon(e, errGaveUp, s))
			require.False(t, s.store.Abandon(e, errCrash, s))
			require.True(t, e.IsComplete())
			require.Equal(t, graphevent.StateCompleted, e.State())
			require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
			require.Equal(t, c.skipped, e.Err() != errGaveUp)
			require.True(t, next.IsComplete())
			require.Equal(t, "skipped: a prerequisite failed: gave up: the system is shut down",
				next.Err().Error())
			require.Zero(t, s.store.Failures(func(graphevent.Event, error) bool {
				t.Error("the caller knows")
				return true
			}))

			// What comes too late changes nothing.
			switch name {
			case "held":
				s.after(e, p, p, p, p, p)
				require.False(t, s.store.Held(e))
				require.Equal(t, graphevent.LaunchNotHeld, s.launch(e))
			case "untriggered", "triggered":
				require.False(t, e.Trigger())
				require.False(t, e.Fail(errBoom))
				require.False(t, e.DontCompleteUntil(p))
			}
			p.Fail(errBoom)
			s.drain()
			require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
			tasks := int64(2) // e and next
			if name == "untriggered" || name == "triggered" {
				tasks = 1
			}
			require.Equal(t, tasks, s.completed.Load())
		})
	}
}

func TestAbandonLeavesAlone(t *testing.T) {
	s := newSched()
	ready, m, failedEvent := s.task(nil), s.store.NewEvent(), s.store.NewEvent()
	m.Trigger()
	failedEvent.Fail(errBoom)
	for _, e := range []graphevent.Event{ready, m, failedEvent} {
		require.False(t, s.store.Abandon(e, errGaveUp, s))
	}
	s.drain()
	require.False(t, s.store.Abandon(ready, errGaveUp, s))
	require.NoError(t, ready.Err())
	require.Equal(t, errBoom, failedEvent.Err())
	s.requireNothingLeft(t)
}

// TestAbandonHeldLeavesLaunchedTasksAlone: what its builder has launched is no longer held, though
// it may look so a moment before.
func TestAbandonHeldLeavesLaunchedTasksAlone(t *testing.T) {
	for name, c := range abandonable {
		t.Run(name, func(t *testing.T) {
			s := newSched()
			e := c.make(s, s.store.NewEvent())
			held := e.State() == graphevent.StateHeld
			require.Equal(t, held, s.store.AbandonHeld(e, errGaveUp, s))
			require.Equal(t, held, e.IsComplete())
		})
	}
}

// TestAbandonKeepsTheBodysError: the body returned an error before its event was abandoned.
func TestAbandonKeepsTheBodysError(t *testing.T) {
	s := newSched()
	p := s.store.NewEvent()
	e := s.task(func(f *frame) error { f.holdOpen(p); return errBoom })
	s.drain()
	require.True(t, s.store.Abandon(e, errGaveUp, s))
	require.Equal(t, errBoom, e.Err())
}

// TestAbandonLosesNobody: an abandoned node stays in the lists of what it waited for, and
// those who registered there before and after it are released all the same.
func TestAbandonLosesNobody(t *testing.T) {
	for name, c := range abandonable {
		t.Run(name, func(t *testing.T) {
			s := newSched()
			var got []uint32
			s.tokens = func(token uint32, _ error) { got = append(got, token) }
			p := s.store.NewEvent()
			p.AddSubsequent(1)
			e := c.make(s, p)
			p.AddSubsequent(2)
			f := c.make(s, p)
			p.AddSubsequent(3)
			// Others complete in the same call.
			for range 3 {
				s.task(nil, e)
			}
			require.True(t, s.store.Abandon(e, errGaveUp, s))
			require.False(t, f.IsComplete())
			require.True(t, s.store.Abandon(f, errGaveUp, s))
			p.Trigger()
			require.Equal(t, []uint32{1, 2, 3}, got)
		})
	}
}

// TestAbandonedIsNeverRecycled: the edges of an abandoned node are released some day. They
// must not meet the next life of the node, also if the failure was forgotten meanwhile.
func TestAbandonedIsNeverRecycled(t *testing.T) {
	for name, c := range abandonable {
		t.Run(name, func(t *testing.T) {
			s := newSched(func(o *graphevent.Options) { o.MaxFailures = 1 })
			p := s.store.NewEvent()
			e := c.make(s, p)
			require.True(t, s.store.Abandon(e, errGaveUp, s))
			for range 2 {
				s.store.NewEvent().Fail(errBoom)
			}
			require.Equal(t, graphevent.ErrForgotten, e.Err())
			s.drain() // a tombstone

			var c graphevent.Cache
			others := map[graphevent.Node]graphevent.Event{}
			for range 200 {
				o := s.store.NewEvent()
				others[o.Node()] = o
				n := s.store.Acquire(&c)
				others[n] = s.store.Hold(n, 0)
			}
			require.Zero(t, others[e.Node()], "the node lives on")
			p.Trigger()
			for _, o := range others {
				require.False(t, o.IsComplete())
			}
			require.True(t, e.IsComplete())
			require.Equal(t, graphevent.ErrForgotten, e.Err())
		})
	}
}

// TestAbandonCycles breaks circles of events that wait for one another.
func TestAbandonCycles(t *testing.T) {
	t.Run("manual", func(t *testing.T) {
		s := graphevent.NewStore(graphevent.Options{})
		es := manual(s, 5)
		for i, e := range es {
			e.DontCompleteUntil(es[(i+1)%len(es)])
			e.Trigger()
		}
		for _, e := range es {
			require.False(t, e.IsComplete())
		}
		require.True(t, s.Abandon(es[2], errGaveUp, nil))
		for i, e := range es {
			require.True(t, e.IsComplete(), i)
			require.Equal(t, errGaveUp, e.Err(), i)
		}
	})
	t.Run("tasks", func(t *testing.T) {
		s := newSched()
		a, b := s.hold(0, nil), s.hold(0, nil)
		s.after(a, b)
		s.after(b, a)
		s.launch(a)
		s.launch(b)
		var stuck []graphevent.Event
		for e := range s.store.Incomplete {
			require.Len(t, s.store.Prerequisites(e, nil), 1)
			stuck = append(stuck, e)
		}
		require.ElementsMatch(t, []graphevent.Event{a, b}, stuck)
		for e := range s.store.Incomplete {
			s.store.Abandon(e, errGaveUp, s)
		}
		require.ErrorIs(t, a.Err(), graphevent.ErrClosed)
		require.ErrorIs(t, b.Err(), graphevent.ErrClosed)
		require.EqualValues(t, 2, s.completed.Load())
	})
}

// TestAbandonRaces lets completion, Abandon (twice) and late additions meet: the event
// completes once, its outcome does not change, and nobody is lost.
func TestAbandonRaces(t *testing.T) {
	for name, c := range abandonable {
		t.Run(name, func(t *testing.T) {
			s := newSched()
			var released atomics.Int64
			s.tokens = func(uint32, error) { released.Add(1) }
			for i := range scaled(1500) {
				p := s.store.NewEvent()
				require.True(t, p.AddSubsequent(1))
				e := c.make(s, p)
				require.True(t, e.AddSubsequent(2))
				require.True(t, p.AddSubsequent(3))
				released.Store(0)
				var wins atomics.Int64
				var over atomics.Bool
				var wg, watch sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						if s.store.Abandon(e, errGaveUp, s) {
							wins.Add(1)
						}
					})
				}
				wg.Go(func() {
					if i%2 == 0 {
						p.Trigger()
					} else {
						p.Fail(errBoom)
					}
				})
				if name == "untriggered" || name == "triggered" {
					wg.Go(func() { e.Fail(errCrash) })
					wg.Go(func() { e.DontCompleteUntil(p) })
				}
				var first error
				complete := false
				watch.Go(func() {
					for !complete && !over.Load() {
						atomics.Gosched()
						if complete = e.IsComplete(); complete {
							first = e.Err()
						}
					}
				})
				wg.Wait()
				over.Store(true)
				watch.Wait()
				s.drain()
				require.LessOrEqual(t, wins.Load(), int64(1))
				require.True(t, e.IsComplete())
				if complete {
					require.Equal(t, first, e.Err(), "the outcome changed")
				}
				require.EqualValues(t, 3, released.Load())
			}
		})
	}
}
