package taskgraph_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

func start(t testing.TB, o taskgraph.Options) *taskgraph.System {
	s := taskgraph.Start(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
	})
	return s
}

func TestSmoke(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		var n atomic.Int64
		var evs []taskgraph.Event
		for range 1000 {
			a := s.Go(func() { n.Add(1) })
			b := s.Task(taskgraph.Do(func() { n.Add(1) })).After(a).Launch()
			evs = append(evs, b)
		}
		require.NoError(t, s.WaitUntilTasksComplete(context.Background(), evs...))
		require.EqualValues(t, 2000, n.Load())
	}
}

func TestSmokeNested(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		var fib func(c *taskgraph.Context, n int) int
		fib = func(c *taskgraph.Context, n int) int {
			if n < 2 {
				return n
			}
			var a int
			e := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error { a = fib(c, n-1); return nil }))
			b := fib(c, n-2)
			if err := c.WaitUntilTasksComplete(context.Background(), e); err != nil {
				panic(err)
			}
			return a + b
		}
		var got int
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error { got = fib(c, 18); return nil })).Launch()
		require.NoError(t, s.WaitUntilTasksComplete(context.Background(), e))
		require.Equal(t, 2584, got)
	}
}

func TestSmokePlainNested(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var f func(d int) error
	f = func(d int) error {
		if d == 0 {
			return nil
		}
		return s.WaitUntilTasksComplete(context.Background(), s.Task(taskgraph.Try(func() error { return f(d - 1) })).Launch())
	}
	require.NoError(t, f(10))
	t.Logf("%+v", s.Stats())
}

func TestSmokeFail(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	boom := errors.New("boom")
	a := s.Task(taskgraph.Try(func() error { return boom })).Launch()
	b := s.Task(taskgraph.Do(func() {})).After(a).Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(context.Background(), b), boom)
	p := s.Go(func() { panic(1) })
	require.Error(t, s.WaitUntilTasksComplete(context.Background(), p))
	x := s.Go(func() { runtime.Goexit() })
	_ = x
	require.Error(t, s.WaitUntilTasksComplete(context.Background(), x))
}

func TestSmokeLoop(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	var n atomic.Int64
	for range 100 {
		n.Store(0)
		require.NoError(t, s.ParallelFor(10000, 10, func(lo, hi int) { n.Add(int64(hi - lo)) }))
		require.EqualValues(t, 10000, n.Load())
	}
}
