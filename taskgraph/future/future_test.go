package future_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/future"
)

func TestMain(m *testing.M) { watch.Main(m) }

var bg = context.Background()

// start starts a system that is shut down without an error at the end of the test, and makes a hang
// a failure that shows what is stuck.
func start(t testing.TB, o taskgraph.Options) *taskgraph.System {
	t.Helper()
	s := taskgraph.Start(o)
	t.Cleanup(watch.Hangs(0, t.Name(), s))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(bg, time.Minute)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
	})
	return s
}

// wait waits for events and requires that they succeeded.
func wait(t testing.TB, s *taskgraph.System, events ...taskgraph.Event) {
	t.Helper()
	require.NoError(t, s.WaitUntilTasksComplete(bg, events...))
}

func answer(*taskgraph.Context) (int, error) { return 42, nil }

func TestFutureGetOutside(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	f := future.Go(s, answer)
	for range 2 {
		v, err := f.Get(bg)
		require.NoError(t, err)
		require.Equal(t, 42, v)
	}
}

// One worker, futures that wait for futures ten deep.
func TestFutureGetInsideBodies(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var deep func(n int) func(c *taskgraph.Context) (int, error)
	deep = func(n int) func(c *taskgraph.Context) (int, error) {
		return func(c *taskgraph.Context) (int, error) {
			if n == 0 {
				return 0, nil
			}
			v, err := future.Go(c, deep(n-1)).Get(c)
			return v + 1, err
		}
	}
	v, err := future.Go(s, deep(10)).Get(bg)
	require.NoError(t, err)
	require.Equal(t, 10, v)
}

// A task after the Future's event finds the value.
func TestFutureAsPrerequisite(t *testing.T) {
	s := start(t, taskgraph.Options{})
	gate := s.NewEvent()
	task, f := future.Task(s, answer)
	task.After(gate).Name("answer").Launch()
	got := 0
	e := s.Task(taskgraph.Do(func() { got, _ = f.Get(bg) })).After(f.Event()).Launch()
	require.False(t, f.Event().IsComplete())
	gate.Trigger()
	wait(t, s, e)
	require.Equal(t, 42, got)
}

func TestFutureFailure(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxFailures: 1})
	no := errors.New("no")
	f := future.Go(s, func(*taskgraph.Context) (string, error) { return "half", no })
	v, err := f.Get(bg)
	require.ErrorIs(t, err, no)
	require.Empty(t, v)

	p := future.Go(s, func(*taskgraph.Context) (string, error) { panic(no) })
	_, err = p.Get(bg)
	require.ErrorIs(t, err, no)
	wait(t, s, s.Go(func() {})) // the worker is done with the second failure
	// The first failure is forgotten by now, but it does not turn into a success.
	_, err = f.Get(bg)
	require.ErrorIs(t, err, graphevent.ErrForgotten)

	never := s.NewEvent()
	task, w := future.Task(s, answer)
	task.After(never).Launch()
	ctx, cancel := context.WithCancel(bg)
	cancel()
	_, err = w.Get(ctx)
	require.ErrorIs(t, err, context.Canceled)
	never.Trigger()

	require.PanicsWithValue(t, "future: a nil function", func() { future.Go[int](s, nil) })
}

func TestFutureOfAClosedSystem(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	require.NoError(t, s.Shutdown(bg))
	_, err := future.Go(s, answer).Get(bg)
	require.ErrorIs(t, err, graphevent.ErrClosed)
}

// The value lives as long as the Future and no longer; the closure is gone before.
func TestFutureDropsItsValue(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	held := new([64]byte)
	closure := weak.Make(held)
	launch := func(held *[64]byte) *future.Future[*[64]byte] {
		return future.Go(s, func(*taskgraph.Context) (*[64]byte, error) {
			held[0]++
			return new([64]byte), nil
		})
	}
	f := launch(held)
	held = nil
	v, err := f.Get(bg)
	require.NoError(t, err)
	value := weak.Make(v)
	v = nil
	wait(t, s, s.Go(func() {}))
	collect := func(gone func() bool) bool {
		for range 10 {
			if runtime.GC(); gone() {
				return true
			}
		}
		return false
	}
	require.True(t, collect(func() bool { return closure.Value() == nil }))
	require.NotNil(t, value.Value())
	runtime.KeepAlive(f)
	f = nil
	require.True(t, collect(func() bool { return value.Value() == nil }))
}

func TestFutureOnNamedThread(t *testing.T) {
	threads := namedthread.NewRegistry()
	th, err := threads.Start("Future", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { th.Quit(); <-th.Done() })
	s := start(t, taskgraph.Options{Threads: threads})
	task, f := future.Task(s, func(c *taskgraph.Context) (*namedthread.Thread, error) {
		return c.Thread(), nil
	})
	task.On(th).Launch()
	got, err := f.Get(bg)
	require.NoError(t, err)
	require.Equal(t, th, got)
}

// A future of a participant is waited for with the Context that the participant has, if any.
func TestFutureInALoop(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	got := make([]int, 8)
	require.NoError(t, s.RunLoop(taskgraph.Loop{N: len(got), Grain: 1, Unbalanced: true,
		Body: func(p *taskgraph.Participant, lo, _ int) error {
			f := future.Go(p, func(*taskgraph.Context) (int, error) { return lo, nil })
			ctx := bg
			if c := p.Context(); c != nil {
				ctx = c
			}
			v, err := f.Get(ctx)
			got[lo] = v
			return err
		}}))
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, got)
}

func TestFutureOfAnUnknownLauncher(t *testing.T) {
	require.Panics(t, func() { future.Go(struct{ taskgraph.Launcher }{}, answer) })
}

// What a body does to its goroutine is the failure of the Future.
func TestFutureGoexit(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	_, err := future.Go(s, func(*taskgraph.Context) (int, error) {
		runtime.Goexit()
		return 1,
			nil
	}).Get(bg)
	require.ErrorIs(t, err, graphevent.ErrGoexit)
}

// Refused by the bound on tasks.
func TestFutureWithoutRoom(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxTasks: 1})
	gate := s.NewEvent()
	first := s.Task(taskgraph.Do(func() {})).After(gate).Launch()
	_, err := future.Go(s, answer).Get(bg)
	require.ErrorIs(t, err, graphevent.ErrFull)
	gate.Trigger()
	wait(t, s, first)
}

// Reports say where the caller made the Future.
func TestFutureSite(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, Sites: true})
	gate := s.NewEvent()
	task, f := future.Task(s, answer)
	e := task.After(gate).Launch()
	r := s.Stuck()
	require.Condition(t, func() bool {
		return slices.ContainsFunc(r.Tasks, func(x taskgraph.StuckTask) bool {
			return strings.HasPrefix(x.Site, "future_test.go:") && x.State == "waiting"
		})
	}, "%v", r)
	gate.Trigger()
	wait(t, s, e, f.Event())
}
