package faults_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/dev/ways"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A thrower leaves in another way each time that it is called.
type thrower struct{ calls atomics.Uint32 }

func (x *thrower) throw() {
	w := &ways.All[1+int(x.calls.Add(1))%(len(ways.All)-1)] // the first one only returns
	w.Do()
}

// A badHandler is a handler of a logger that throws.
type badHandler struct{ *thrower }

func (badHandler) Enabled(context.Context, slog.Level) bool    { return true }
func (h badHandler) Handle(context.Context, slog.Record) error { h.throw(); return nil }
func (h badHandler) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h badHandler) WithGroup(string) slog.Handler             { return h }

// A badWork throws when a thread runs it, and when the thread cancels it.
type badWork struct{ ran, canceled *thrower }

func (w badWork) RunOn(*namedthread.Thread, uint64)    { w.ran.throw() }
func (w badWork) CancelOn(*namedthread.Thread, uint64) { w.canceled.throw() }

// TestCallbacksThrow: whatever the system and its threads call leaves in every way, all the time,
// under load. The load does not notice; Shutdown and the thread tell of it.
func TestCallbacksThrow(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			callbacksThrow(t, workers)
		})
	}
}

func callbacksThrow(t *testing.T, workers int) {
	var failure, stuck, logged, panicked, polled, ran, canceled, body, loop, fork thrower
	throwers := []*thrower{&failure, &stuck, &logged, &panicked, &polled, &ran, &body, &loop, &fork}
	watched(t, func() string {
		text := "thrown:"
		for _, x := range throwers {
			text += fmt.Sprint(" ", x.calls.Load())
		}
		return text
	})
	m, end := newMill(taskgraph.Options{
		Workers: workers, StuckAfter: time.Hour, SlowAfter: time.Millisecond,
		OnFailure: func(string, error) { failure.throw() },
		OnStuck:   func(*taskgraph.StuckReport) { stuck.throw() },
		Logger:    slog.New(badHandler{&logged}),
	}, namedthread.Options{
		OnPanic: func(any, []byte) { panicked.throw() },
		Poll:    func(*namedthread.Thread) { polled.throw() }, PollEvery: 100 * time.Microsecond,
	})
	var over atomics.Bool
	var others sync.WaitGroup
	others.Go(func() { // what throws
		for posted := uint32(0); !over.Load(); {
			if ran.calls.Load() == posted { // no more than the thread can do
				posted++
				if err := m.th.Post(namedthread.QueueMain, namedthread.PriorityNormal,
					badWork{&ran, &canceled}, 0); err != nil {
					t.Error(err)
				}
			}
			e := m.s.Go(body.throw)
			_ = m.s.WaitUntilTasksComplete(bg, e, m.s.Go(func() {
				_ = m.s.ParallelFor(100, 1, func(int, int) { loop.throw() })
			}), m.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.Fork(func(*taskgraph.Context, *taskgraph.Args) { fork.throw() }, taskgraph.Args{})
				return nil
			})).Launch())
			if e.Err() == nil {
				t.Error("a body that throws succeeds")
			}
		}
	})
	const reports = 8
	others.Go(func() { // some bodies that are slow, for the watchdog
		for stuck.calls.Load() < reports {
			before := stuck.calls.Load() // a body is reported once, perhaps as soon as it begins
			slow := m.s.Go(func() {
				for stuck.calls.Load() == before {
					runtime.Gosched()
				}
			})
			_ = m.s.WaitUntilTasksComplete(bg, slow)
		}
	})
	wrong := make([]error, 2)
	var all sync.WaitGroup
	for i := range wrong {
		all.Go(func() {
			for n := 1; n > 0 && wrong[i] == nil; n-- {
				if stuck.calls.Load() < reports {
					n = short.Scaled(100)
				}
				wrong[i] = m.grind(1)
			}
		})
	}
	all.Wait()
	over.Store(true)
	others.Wait()
	require.NoError(t, errors.Join(wrong...))
	require.NoError(t, m.grind(10))

	// What the thread has not come to is cancelled.
	hold := make(chan struct{})
	require.NoError(t, m.th.Post(namedthread.QueueMain, namedthread.PriorityHigh,
		namedthread.Func(func() { <-hold }), 0))
	for range 10 {
		require.NoError(t, m.th.Post(namedthread.QueueMain, namedthread.PriorityNormal,
			badWork{&ran, &canceled}, 0))
	}
	m.th.Quit()
	close(hold)
	err := end()
	require.ErrorIs(t, err, ways.ErrBoom)
	require.ErrorIs(t, err, graphevent.ErrGoexit)
	require.Error(t, m.th.Err())
	require.Positive(t, canceled.calls.Load())
	for _, x := range throwers {
		require.Positive(t, x.calls.Load())
	}
}

// TestBodiesNeverReturn: bodies block for ever, one compute for ever, and the rest of the system
// goes on beside them. Shutdown ends with its context and names each of them.
func TestBodiesNeverReturn(t *testing.T) {
	watched(t)
	m, end := newMill(taskgraph.Options{Workers: 2, StuckAfter: time.Hour}, namedthread.Options{})
	ever := make(chan struct{})
	var turns atomics.Bool
	names := map[string]func(c *taskgraph.Context){
		"receives":  func(*taskgraph.Context) { <-ever },
		"is inside": func(c *taskgraph.Context) { c.Blocking(func() { <-ever }) },
		"turns round": func(*taskgraph.Context) {
			for !turns.Load() {
			}
		},
	}
	var in sync.WaitGroup
	var events []taskgraph.Event
	for name, f := range names {
		in.Add(1)
		e := m.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			in.Done()
			f(c)
			return nil
		})).Name(name).Launch()
		events = append(events, e)
	}
	in.Wait()
	require.NoError(t, m.grind(short.Scaled(100)))

	ctx, cancel := context.WithCancel(bg)
	cancel()
	var report *taskgraph.StuckError
	require.ErrorAs(t, m.s.Shutdown(ctx), &report)
	for name := range names {
		require.ErrorContains(t, report, fmt.Sprintf("task %q runs", name))
	}
	close(ever) // so that the test leaves nothing behind
	turns.Store(true)
	for _, e := range events {
		_ = e.Wait(bg)
	}
	require.ErrorAs(t, end(), &report)
}
