package graphevent_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

// duel lets two functions meet within a few instructions, again and again: begin makes a
// pair of them and what is checked after both. One partner is a goroutine that waits
// spinning, so that the two start together; each then idles for a moment, at random.
func duel(t *testing.T, rounds int, begin func(i int) (a, b, check func())) {
	t.Helper()
	var turn, here, done atomics.Int64
	var job func()
	var over atomics.Bool
	await := func(word *atomics.Int64, value int64) bool {
		for spins := 0; word.Load() < value; spins++ {
			if over.Load() {
				return false
			}
			if spins%64 == 63 {
				atomics.Gosched()
			}
		}
		return true
	}
	idle := func(rng *rand.Rand) {
		for range rng.IntN(300) {
			over.Load()
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		rng := rand.New(rand.NewPCG(1, 2))
		for i := int64(1); await(&turn, i); i++ {
			here.Store(i)
			idle(rng)
			job()
			done.Store(i)
		}
	}()
	defer func() {
		over.Store(true)
		<-ended
	}()
	rng := rand.New(rand.NewPCG(3, 4))
	// Where another program has the second core a round takes as long as a time slice.
	for i, start := 0, time.Now(); i < rounds && time.Since(start) < time.Second; i++ {
		a, b, check := begin(i)
		job = b
		turn.Store(int64(i) + 1)
		await(&here, int64(i)+1)
		idle(rng)
		a()
		await(&done, int64(i)+1)
		check()
	}
}

func TestDuelHoldOpenWithTrigger(t *testing.T) {
	s := newSched()
	n := 0
	duel(t, scaled(8000), func(int) (a, b, check func()) {
		os := manual(s.store, 4)
		early := false
		e := s.task(func(f *frame) error {
			for _, o := range os {
				f.holdOpen(o)
				early = early || f.e.IsComplete()
			}
			return nil
		})
		n++
		trigger := func() {
			for _, o := range os {
				o.Trigger()
			}
		}
		return s.drain, trigger, func() {
			require.False(t, early, "the event completed while its body ran")
			require.True(t, e.IsComplete())
			require.EqualValues(t, n, s.completed.Load())
		}
	})
	s.requireNothingLeft(t)
}

// TestDuelDontCompleteUntil lets the first two calls meet, which turn the node's last inline
// edge into a list.
func TestDuelDontCompleteUntil(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	duel(t, scaled(8000), func(int) (a, b, check func()) {
		e, o, p := s.NewEvent(), s.NewEvent(), s.NewEvent()
		return func() { e.DontCompleteUntil(o) }, func() { e.DontCompleteUntil(p) }, func() {
			require.ElementsMatch(t, []graphevent.Event{o, p}, s.Prerequisites(e, nil))
			e.Trigger()
			o.Trigger()
			require.False(t, e.IsComplete())
			p.Trigger()
			require.True(t, e.IsComplete())
		}
	})
	requireNothingLeft(t, s)
}

// TestDuelDontCompleteUntilWithTrigger: accepted means in time.
func TestDuelDontCompleteUntilWithTrigger(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	duel(t, scaled(8000), func(i int) (a, b, check func()) {
		e, o := s.NewEvent(), s.NewEvent()
		if i%2 == 0 {
			o.Trigger()
		}
		var accepted bool
		return func() { accepted = e.DontCompleteUntil(o) }, func() { e.Trigger() }, func() {
			require.Equal(t, accepted && i%2 != 0, !e.IsComplete())
			o.Trigger()
			require.True(t, e.IsComplete())
		}
	})
	requireNothingLeft(t, s)
}

// TestDuelFailureWithSuccess: whichever edge is the last, the task is skipped.
func TestDuelFailureWithSuccess(t *testing.T) {
	s := newSched(func(o *graphevent.Options) { o.MaxFailures = 4 })
	duel(t, scaled(8000), func(i int) (a, b, check func()) {
		p, q := s.store.NewEvent(), s.store.NewEvent()
		var es []graphevent.Event
		for range 1 + i%3 {
			es = append(es, s.task(func(*frame) error { t.Error("it ran"); return nil }, p, q))
		}
		return func() { p.Fail(errBoom) }, func() { q.Trigger() }, func() {
			s.drain()
			for _, e := range es {
				require.True(t, e.IsComplete())
				require.Error(t, e.Err())
			}
		}
	})
	s.requireNothingLeft(t)
}

// TestDuelTwoCompletions lets two completions work through lists of the same nodes, with
// tokens between them.
func TestDuelTwoCompletions(t *testing.T) {
	s := newSched(func(o *graphevent.Options) { o.MaxFailures = 4 })
	var released [8]atomics.Int64
	s.tokens = func(token uint32, _ error) { released[token].Add(1) }
	n := int64(0)
	duel(t, scaled(4000), func(i int) (a, b, check func()) {
		p, q := s.store.NewEvent(), s.store.NewEvent()
		for token := range uint32(4) {
			p.AddSubsequent(token)
			s.task(nil, p, q)
			q.AddSubsequent(4 + token)
			s.task(nil, q, p, p, q, p, q)
			n += 2
		}
		end := func(e graphevent.Event) func() {
			return func() {
				if i%2 == 0 {
					e.Fail(errBoom)
				} else {
					e.Trigger()
				}
			}
		}
		return end(p), end(q), func() {
			s.drain()
			require.Equal(t, n, s.completed.Load())
			for token := range released {
				require.EqualValues(t, i+1, released[token].Load(), "token %d", token)
			}
		}
	})
	s.requireNothingLeft(t)
}

// TestDuelTombstone lets the end of an early run meet the pop of its queue entry: one of the
// two frees the node.
func TestDuelTombstone(t *testing.T) {
	s := newSched()
	duel(t, scaled(8000), func(int) (a, b, check func()) {
		e := s.task(nil)
		require.True(t, s.store.TryClaim(e))
		return func() { s.run(e.Node(), nil) }, func() { s.step(nil) }, func() {
			require.True(t, e.IsComplete())
			made, free := s.store.Nodes()
			require.Equal(t, made, free)
		}
	})
	s.requireNothingLeft(t)
}

// TestDuelClaim lets an early claim meet the pop: one of the two runs the task.
func TestDuelClaim(t *testing.T) {
	s := newSched()
	early := 0
	duel(t, scaled(8000), func(int) (a, b, check func()) {
		runs := 0
		e := s.task(func(*frame) error { runs++; return nil })
		return func() {
				if s.store.TryClaim(e) {
					early++
					s.run(e.Node(), nil)
				}
			}, func() { s.step(nil) }, func() {
				require.Equal(t, 1, runs)
				require.True(t, e.IsComplete())
			}
	})
	s.requireNothingLeft(t)
	t.Logf("%d were claimed early", early)
}

func TestDuelLaunchWithCompletion(t *testing.T) {
	s := newSched(func(o *graphevent.Options) { o.MaxFailures = 4 })
	n := 0
	duel(t, scaled(8000), func(i int) (a, b, check func()) {
		p := s.store.NewEvent()
		e := s.hold(0, nil)
		if i%2 == 0 {
			s.after(e, p)
		}
		n++
		return func() {
				if i%2 != 0 {
					s.after(e, p)
				}
				s.launch(e)
			}, func() {
				if i%4 < 2 {
					p.Trigger()
				} else {
					p.Fail(errBoom)
				}
			}, func() {
				s.drain()
				require.True(t, e.IsComplete())
				require.Equal(t, i%4 >= 2, e.Err() != nil)
				require.EqualValues(t, n, s.completed.Load())
			}
	})
	s.requireNothingLeft(t)
}

func TestDuelAddSubsequentWithTrigger(t *testing.T) {
	r := &tokens{}
	s := graphevent.NewStore(graphevent.Options{Releaser: r})
	accepted := 0
	duel(t, scaled(8000), func(i int) (a, b, check func()) {
		e := s.NewEvent()
		*r = tokens{got: r.got[:0], errs: r.errs[:0]}
		var ok bool
		return func() { ok = e.AddSubsequent(uint32(i)) }, func() { e.Trigger() }, func() {
			if ok {
				accepted++
				require.Equal(t, []uint32{uint32(i)}, r.got)
			} else {
				require.Empty(t, r.got)
			}
		}
	})
	requireNothingLeft(t, s)
	t.Logf("%d were accepted", accepted)
}

// TestDuelForgetting reads a failure while it is forgotten: it is the error or ErrForgotten,
// and never a success.
func TestDuelForgetting(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{MaxFailures: 1})
	duel(t, scaled(8000), func(int) (a, b, check func()) {
		e, f := s.NewEvent(), s.NewEvent()
		e.Fail(errBoom)
		var errs [10]error
		return func() {
				for i := range errs {
					errs[i] = e.Err()
				}
			}, func() { f.Fail(errCrash) }, func() {
				for i, err := range errs {
					require.True(t, err == errBoom || err == graphevent.ErrForgotten, "%d: %v", i,
						err)
					require.False(t, i > 0 && errors.Is(errs[i-1], graphevent.ErrForgotten) &&
						err == errBoom)
				}
				require.Equal(t, graphevent.ErrForgotten, e.Err())
			}
	})
	requireNothingLeft(t, s)
}

func TestDuelAbandonWithCompletion(t *testing.T) {
	s := newSched(func(o *graphevent.Options) { o.MaxFailures = 4 })
	abandoned := 0
	duel(t, scaled(4000), func(i int) (a, b, check func()) {
		p, o := s.store.NewEvent(), s.store.NewEvent()
		var e graphevent.Event
		switch i % 3 {
		case 0:
			e = s.task(nil, p)
		case 1:
			e = s.task(func(f *frame) error { f.holdOpen(p); return nil })
			s.drain()
		case 2:
			e = s.store.NewEvent()
			e.DontCompleteUntil(p)
			e.Trigger()
		}
		o.DontCompleteUntil(e)
		o.Trigger()
		s.completed.Store(0)
		var won bool
		return func() { won = s.store.Abandon(e, errGaveUp, s) }, func() { p.Trigger() }, func() {
			s.drain()
			require.True(t, e.IsComplete())
			require.True(t, o.IsComplete())
			require.Equal(t, won, o.Err() != nil)
			if i%3 != 2 {
				require.EqualValues(t, 1, s.completed.Load())
			}
			if won {
				abandoned++
			}
		}
	})
	t.Logf("%d were abandoned", abandoned)
}

// TestDuelWalk walks what an event waits for while the last of it completes and the edges
// are used by somebody else.
func TestDuelWalk(t *testing.T) {
	s := newSched()
	duel(t, scaled(8000), func(i int) (a, b, check func()) {
		ps, other := manual(s.store, 7), s.store.NewEvent()
		e := s.store.NewEvent()
		for _, p := range ps {
			e.DontCompleteUntil(p)
		}
		for _, p := range ps[1:] {
			p.Trigger()
		}
		e.Trigger()
		var buf [16]graphevent.Event
		var got []graphevent.Event
		return func() { got = s.store.Prerequisites(e, buf[:0]) }, func() {
				ps[0].Trigger()
				for range 6 {
					other.DontCompleteUntil(e) // complete: takes edges and keeps them
				}
			}, func() {
				require.LessOrEqual(t, len(got), 1)
				if len(got) == 1 {
					require.Equal(t, ps[0], got[0])
				}
				other.Trigger()
			}
	})
	s.requireNothingLeft(t)
}
