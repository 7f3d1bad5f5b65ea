package taskgraph

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
)

// stayChain runs loops in a task until a helper has joined one for which nobody was launched, and
// then calls f, with that helper about to wait for the next one.
func stayChain(t *testing.T, s *System, f func(c *Context)) {
	t.Helper()
	body := func(p *Participant, lo, hi int) error {
		for end := atomics.Now() + int64(hi-lo)*300; atomics.Now() < end; {
		}
		return nil
	}
	err := s.WaitUntilTasksComplete(context.Background(), s.Task(Run(func(c *Context) error {
		for {
			before := s.Stats().Launched
			for range 100 {
				if err := c.RunLoop(Loop{N: 64, Body: body}); err != nil {
					return err
				}
			}
			if l, ok := s.freeLoops.Pop(); ok {
				s.freeLoops.Push(l)
				if l.crew.Stays() && s.Stats().Launched-before < 50 {
					break
				}
			}
		}
		f(c)
		return nil
	})).Launch())
	require.NoError(t, err)
}

func startForStay(t *testing.T) *System {
	t.Helper()
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one P nobody stays")
	}
	s := Start(Options{Workers: 2})
	t.Cleanup(func() { _ = s.Shutdown(context.Background()) })
	s.loopStay.Init(1<<60, 1) // for ever, but for what the tests are about
	return s
}

// endStay has helpers stay no more.
func endStay(s *System) {
	for s.loopStay.Time() > 10 {
		s.loopStay.Learn(math.MaxInt64)
	}
}

// A helper that stays goes as soon as there is a task: no wake reaches it.
func TestStayingHelperTakesTasks(t *testing.T) {
	s := startForStay(t)
	stayChain(t, s, func(c *Context) {
		e := c.Go(func() {})
		for !e.IsComplete() { // by somebody else: this body does not wait for it
			runtime.Gosched()
		}
	})
	stayChain(t, s, func(*Context) { // likewise for one from outside
		for e := s.Go(func() {}); !e.IsComplete(); {
			runtime.Gosched()
		}
		endStay(s)
	})
}

// A shutdown waits for one that stays no longer than it stays.
func TestShutdownWithStayingHelper(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		s := startForStay(t)
		stayChain(t, s, func(*Context) { endStay(s) })
		require.NoError(t, s.Shutdown(context.Background()))
	}
}

// A loop of another kind does not get the helper, and one that fails keeps it from nothing.
func TestStayingHelperAndOtherLoops(t *testing.T) {
	s := startForStay(t)
	stayChain(t, s, func(c *Context) {
		defer endStay(s)
		boom := errors.New("boom")
		require.ErrorIs(t, c.RunLoop(Loop{N: 1000, Grain: 1, Unbalanced: true,
			Body: func(p *Participant, lo, hi int) error {
				return boom
			}}), boom)
		require.Error(t, c.RunLoop(Loop{N: 1000, Grain: 1, Unbalanced: true,
			Body: func(p *Participant, lo, hi int) error {
				panic(boom)
			}}))
		var sum atomics.Int64
		require.NoError(t, c.RunLoop(Loop{N: 1000, Grain: 10, Background: true,
			Body: func(p *Participant, lo, hi int) error {
				sum.Add(int64(hi - lo))
				return nil
			}}))
		require.EqualValues(t, 1000, sum.Load())
		ctx, cancel := context.WithCancel(context.Background())
		e := c.Task(Run(func(c *Context) error {
			return c.RunLoop(Loop{N: 1000, Grain: 1, Unbalanced: true,
				Body: func(p *Participant, lo, hi int) error {
					if lo == 500 {
						cancel()
					}
					return nil
				}})
		})).Context(ctx).Launch()
		require.Error(t, c.Wait(e))
		require.NoError(t, c.RunLoop(Loop{N: 1000, Grain: 1, Unbalanced: true,
			Body: func(p *Participant, lo, hi int) error {
				if p.Context() == nil || p.Context().Err() != nil {
					return boom
				}
				return nil
			}}))
	})
}
