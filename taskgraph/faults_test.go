package taskgraph_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// One test for each way in which a pool of workers goes wrong when its users do.

// A panic is reported once, to all who depend on it: here to a wait, to a dependent, and to the
// handler. One that nobody looked at is returned by Shutdown.
func TestFault_Panic(t *testing.T) {
	var heard atomics.Int32
	s := taskgraph.Start(taskgraph.Options{Workers: 2, OnFailure: func(string, error) {
		heard.Add(1)
	}})
	boom := errors.New("boom")
	e := s.Go(func() { panic(boom) })
	next := s.Task(taskgraph.Do(func() { t.Error("ran") })).After(e).Launch()
	var p *graphevent.PanicError
	require.ErrorAs(t, s.WaitUntilTasksComplete(bg, e), &p)
	require.Equal(t, boom, p.Value)
	require.NotEmpty(t, p.Stack)
	err := s.WaitUntilTasksComplete(bg, next)
	require.ErrorIs(t, err, graphevent.ErrSkipped)
	require.ErrorIs(t, err, boom)
	s.Go(func() { panic("unseen") })
	require.ErrorContains(t, s.Shutdown(bg), "unseen")
	require.EqualValues(t, 2, heard.Load())
}

// Goexit, as t.FailNow calls it, fails the task; the worker is replaced, and a named thread lives
// on.
func TestFault_Goexit(t *testing.T) {
	threads := namedthread.NewRegistry()
	th, err := threads.Start("Goexit", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { th.Quit(); <-th.Done() })
	s := start(t, taskgraph.Options{Workers: 1, Threads: threads})
	for range 3 {
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, s.Go(runtime.Goexit)), graphevent.ErrGoexit)
		wait(t, s, s.Go(func() {}))
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg,
			s.Task(taskgraph.Do(runtime.Goexit)).On(th).Launch()), graphevent.ErrGoexit)
		wait(t, s, s.Task(taskgraph.Do(func() {})).On(th).Launch())
	}
}

// A body that blocks for ever takes no other task with it, and Shutdown names it.
func TestFault_BodyBlocksForEver(t *testing.T) {
	guard(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	ever, in := make(chan struct{}), make(chan struct{})
	e := s.Task(taskgraph.Do(func() { close(in); <-ever })).Name("blocker").Launch()
	<-in
	wait(t, s, s.Go(func() {})) // on a worker that stands in
	ctx, cancel := context.WithCancel(bg)
	cancel()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(ctx), &stuck)
	require.Contains(t, stuck.Error(), `task "blocker" runs`)
	close(ever) // so that the test leaves no goroutine behind
	require.NoError(t, e.Wait(bg))
}

// A wait inside a task, with one worker, ten deep, through the Context and without it.
func TestFault_WaitInsideATask(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var deep func(c *taskgraph.Context, n int) error
	deep = func(c *taskgraph.Context, n int) error {
		if n == 0 {
			return nil
		}
		return c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			return deep(c, n-1)
		})))
	}
	run(t, s, func(c *taskgraph.Context) error { return deep(c, 10) })
	var blind func(n int)
	blind = func(n int) {
		if n > 0 {
			assert.NoError(t, s.WaitUntilTasksComplete(bg, s.Go(func() { blind(n - 1) })))
		}
	}
	wait(t, s, s.Go(func() { blind(10) }))
}

// A launch that meets a shutdown is accepted, and then it runs, or refused with ErrClosed.
func TestFault_LaunchWhileShuttingDown(t *testing.T) {
	guard(t)
	for range brief(100, 25) {
		s := taskgraph.Start(taskgraph.Options{Workers: 2})
		var ran, accepted atomics.Int64
		var launchers sync.WaitGroup
		for range 3 {
			launchers.Add(1)
			atomics.Go(func() {
				defer launchers.Done()
				for {
					e := s.Go(func() { ran.Add(1) })
					if e.IsComplete() && errors.Is(e.Err(), graphevent.ErrClosed) {
						return
					}
					accepted.Add(1)
				}
			})
		}
		require.NoError(t, s.Shutdown(bg))
		launchers.Wait()
		require.Equal(t, accepted.Load(), ran.Load())
	}
}

// Whatever a cancellation meets, every event completes once: its task ran, or is cancelled.
func TestFault_Cancellation(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	for range 100 {
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		var ran, canceled atomics.Int32
		var completed sync.WaitGroup
		completed.Add(50)
		var events []taskgraph.Event
		for i := range 50 {
			task := s.Task(taskgraph.Do(func() { ran.Add(1) })).Context(ctx)
			if i > 0 && i%3 == 0 {
				task = task.After(events[i-1]).Always()
			}
			task.Event().OnComplete(func(error) { completed.Done() })
			events = append(events, task.Launch())
			if i == 25 {
				atomics.Go(cancel)
			}
		}
		for _, e := range events {
			if err := s.WaitUntilTasksComplete(bg, e); err != nil {
				require.ErrorIs(t, err, graphevent.ErrCanceled)
				canceled.Add(1)
			}
		}
		require.EqualValues(t, 50, ran.Load()+canceled.Load())
		completed.Wait() // more than once each would panic
	}
}

// A cycle is not silently nothing: the stuck report names what waits for what.
func TestFault_Cycle(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2, StuckAfter: 1})
	knot := s.NewEvent()
	a := s.Task(taskgraph.Do(func() { t.Error("ran") })).Name("a").After(knot).Launch()
	b := s.Task(taskgraph.Do(func() { t.Error("ran") })).Name("b").After(a).Launch()
	knot.DontCompleteUntil(b)
	knot.Trigger()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(bg), &stuck)
	require.Contains(t, stuck.Error(), `task "b" waits for task "a"`)
	require.ErrorIs(t, a.Err(), graphevent.ErrClosed)
	require.ErrorIs(t, b.Err(), graphevent.ErrClosed)
}

// A wait for oneself is an error that names the task; of two that wait for each other the stuck
// report names both.
func TestFault_WaitForOneself(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		assert.ErrorContains(t, c.WaitUntilTasksComplete(bg, c.Event()),
			`task "narcissus" waits for itself`)
		return nil
	})).Name("narcissus").Launch())

	two := taskgraph.Start(taskgraph.Options{Workers: 2, StuckAfter: 1})
	ctx, cancel := context.WithCancel(bg) // can end, so neither runs the other
	defer cancel()
	var a, b taskgraph.Event
	gate := two.NewEvent()
	var in sync.WaitGroup
	in.Add(2)
	for other, name := range map[*taskgraph.Event]string{&b: "a", &a: "b"} {
		e := two.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			in.Done()
			in.Wait()
			return c.WaitUntilTasksComplete(ctx, *other)
		})).Name(name).After(gate).Launch()
		if name == "a" {
			a = e
		} else {
			b = e
		}
	}
	gate.Trigger()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, two.Shutdown(bg), &stuck)
	require.Contains(t, stuck.Error(), `task "a" waits for task "b"`)
	require.Contains(t, stuck.Error(), `task "b" waits for task "a"`)
	require.ErrorIs(t, a.Err(), graphevent.ErrClosed)
}

// A named thread that waits for work bound to itself runs that work, and leaves other work of its
// own in order for later.
func TestFault_NamedThreadWaitsForItself(t *testing.T) {
	threads := namedthread.NewRegistry()
	th, err := threads.Start("Self", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { th.Quit(); <-th.Done() })
	s := start(t, taskgraph.Options{Threads: threads, Workers: 1})
	var order []string
	note := func(name string) taskgraph.Body {
		return taskgraph.Do(func() { order = append(order, name) })
	}
	var others []taskgraph.Event
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		others = append(others, c.Task(note("first")).On(th).Launch())
		awaited := c.Task(note("awaited")).On(th).Launch()
		others = append(others, c.Task(note("second")).On(th).Launch())
		return c.WaitUntilTasksComplete(bg, awaited)
	})).On(th).Launch())
	wait(t, s, others...)
	require.Equal(t, []string{"awaited", "first", "second"}, order)
}

// What a body and its result hold is garbage when the task is complete, although its event is kept.
func TestFault_GarbageKeptAlive(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var events []taskgraph.Event
	launch := func() weak.Pointer[[64]byte] {
		held := new([64]byte)
		events = append(events, s.Task(taskgraph.Do(func() { held[0]++ })).Name("garbage").Launch())
		return weak.Make(held)
	}
	held := launch()
	wait(t, s, events...)
	wait(t, s, s.Go(func() {})) // the worker has let go of it
	for range 10 {
		if runtime.GC(); held.Value() == nil {
			break
		}
	}
	require.Nil(t, held.Value())
	runtime.KeepAlive(events)
}

// The wall clock may jump: whatever measures or waits keeps the monotonic reading, which any of
// these methods would drop.
func TestFault_ClockJumps(t *testing.T) {
	drop := []string{"Unix", "UnixNano", "UnixMilli", "UnixMicro", "Round", "Truncate", "UTC",
		"Local", "Date"}
	for _, dir := range []string{".", "internal/kernel", "../graphevent", "../namedthread",
		"../sleepevent", "../lockfree"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, dir)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					require.NotContains(t, drop, s.Sel.Name, file)
				}
				return true
			})
		}
	}
}
