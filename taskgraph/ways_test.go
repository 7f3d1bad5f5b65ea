package taskgraph_test

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
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/dev/ways"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

// A callSite is a place from which the system calls a function that it does not know.
type callSite struct {
	name string
	opts taskgraph.Options
	// plain says that it is a call on the stack of a body, in which what is thrown can be
	// recovered, but not a Goexit.
	plain bool
	// call has w called there, and returns its failure as the caller of the system sees it.
	call func(t *testing.T, x *waysScene, w *ways.Way) error
}

type waysScene struct {
	s  *taskgraph.System
	th *namedthread.Thread
}

// after returns the failure of e as a wait from outside has it.
func (x *waysScene) after(e taskgraph.Event) error { return x.s.WaitUntilTasksComplete(bg, e) }

// aside calls f on another goroutine, which f may end, and returns when that is over.
func aside(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	<-over
}

// A waysJob is a body that leaves.
type waysJob struct{ w *ways.Way }

func (j waysJob) Run(*taskgraph.Context) error { return j.w.Leave() }

func ofTask(name string, build func(x *waysScene, b taskgraph.Body) taskgraph.Event) callSite {
	return callSite{name: name, call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		return x.after(build(x, taskgraph.Try(w.Leave)))
	}}
}

// inBody calls f in a body, and returns the failure of the body.
func inBody(name string, f func(c *taskgraph.Context, w *ways.Way) error) callSite {
	return callSite{name: name, call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		return x.after(x.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return f(c,
				w)
		})).Launch())
	}}
}

// stolen lets a fork of c be run by another worker, and returns what its Wait panics with.
func stolen(c *taskgraph.Context, w *ways.Way) (err error) {
	began := make(chan struct{})
	j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) { close(began); w.Do() },
		taskgraph.Args{})
	<-began
	defer func() { err, _ = recover().(error) }()
	j.Wait()
	return nil
}

// ranByHelper calls w in a range of a loop that the caller does not run. Helpers may run both
// ranges before the caller has begun: the first of them leaves.
func ranByHelper(c *taskgraph.Context, w *ways.Way) error {
	began := make(chan struct{})
	var once sync.Once
	return c.RunLoop(taskgraph.Loop{N: 2, Unbalanced: true,
		Body: func(p *taskgraph.Participant, _, _ int) error {
			if p.Index() == 0 {
				<-began
				return nil
			}
			first := false
			once.Do(func() { first = true; close(began) })
			if !first {
				return nil
			}
			return w.Leave()
		}})
}

// inGraph runs a graph with a task that leaves, and one after it.
func inGraph(b func(*ways.Way) taskgraph.Body,
	set func(x *waysScene, task taskgraph.GraphTask)) func(*testing.T, *waysScene,
	*ways.Way) error {
	return func(t *testing.T, x *waysScene, w *ways.Way) error {
		var build taskgraph.GraphBuilder
		task := build.Task(b(w))
		set(x, task)
		ran := false
		build.Task(taskgraph.Do(func() { ran = true })).After(task)
		g, err := build.Build()
		require.NoError(t, err)
		for range 2 {
			ran = false
			err = x.after(x.s.LaunchGraph(g))
			require.Equal(t, err == nil, ran)
		}
		return err
	}
}

func graphTry(w *ways.Way) taskgraph.Body { return taskgraph.Try(w.Leave) }
func graphDo(w *ways.Way) taskgraph.Body  { return taskgraph.Do(w.Do) }

var callSites = []callSite{
	{name: "Do", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		return x.after(x.s.Go(w.Do))
	}},
	ofTask("Try", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		return x.s.Task(b).Launch()
	}),
	{name: "Job", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		return x.after(x.s.Task(taskgraph.RunJob(waysJob{w})).Launch())
	}},
	{name: "by a caller", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		var e taskgraph.Event
		aside(func() {
			_ = x.s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
				e = c.Event()
				return w.Leave()
			}))
		})
		return x.after(e)
	}},
	{name: "helped by a caller", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		var e taskgraph.Event
		aside(func() {
			_ = x.s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
				e = c.Spawn(taskgraph.Try(w.Leave))
				c.DontCompleteUntil(e)
				return nil
			}))
		})
		return x.after(e)
	}},
	inBody("Run", func(_ *taskgraph.Context, w *ways.Way) error { return w.Leave() }),
	ofTask("with a priority", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		return x.s.Task(b).Priority(taskgraph.PriorityBackgroundLow).Launch()
	}),
	ofTask("Near", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		return x.s.Task(b).Near(0).Launch()
	}),
	ofTask("Inline", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		first := x.s.Task(taskgraph.Do(func() {}))
		e := x.s.Task(b).Inline().After(first.Event()).Launch()
		first.Launch()
		return e
	}),
	ofTask("with a context", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		ctx, cancel := context.WithCancel(bg)
		e := x.s.Task(b).Context(ctx).Launch()
		_ = x.after(e)
		cancel()
		return e
	}),
	ofTask("On a thread", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		return x.s.Task(b).On(x.th).Launch()
	}),
	ofTask("OnID", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		return x.s.Task(b).OnID(x.th.ID(), taskgraph.FallbackError).Launch()
	}),
	ofTask("OnOwnThread", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		return x.s.Task(b).OnOwnThread().Launch()
	}),
	ofTask("retained", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		again := taskgraph.Retain(b)
		_ = x.after(again.Launch(x.s))
		return again.Launch(x.s)
	}),
	ofTask("after a delay", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		return x.s.Task(b).After(x.s.AfterDelay(1)).Launch()
	}),
	{name: "Every", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		err := x.after(x.s.Every(ctx, 1, taskgraph.Try(func() error {
			cancel() // or it would go on for ever after a good round
			return w.Leave()
		})))
		if errors.Is(err, graphevent.ErrCanceled) {
			return nil
		}
		return err
	}},
	ofTask("in a pipe, twice", func(x *waysScene, b taskgraph.Body) taskgraph.Event {
		p := x.s.NewPipe()
		_ = x.after(x.s.Task(b).In(p).Launch())
		return x.s.Task(b).In(p).Launch()
	}),
	inBody("Again, in the second round", func(c *taskgraph.Context, w *ways.Way) error {
		first := true
		e := c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if first {
				first = false
				c.Again()
				return nil
			}
			return w.Leave()
		})).Launch()
		c.DontCompleteUntil(e)
		return nil
	}),
	inBody("Nest", func(c *taskgraph.Context, w *ways.Way) error {
		c.Nest(taskgraph.Try(w.Leave))
		return nil
	}),
	inBody("Blocking", func(c *taskgraph.Context, w *ways.Way) (err error) {
		c.Blocking(func() { err = w.Leave() })
		return err
	}),
	{name: "a launch without room",
		opts: taskgraph.Options{MaxTasks: 1, WhenFull: taskgraph.FullInline},
		call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
			gate := x.s.NewEvent()
			first := x.s.Task(taskgraph.Do(func() {})).After(gate).Launch()
			task := x.s.Task(taskgraph.Try(w.Leave))
			e := task.Event()
			aside(func() { task.Launch() })
			gate.Trigger()
			_ = x.after(first)
			return x.after(e)
		}},

	{name: "Group.Go from outside", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		g := x.s.NewGroup()
		for range 10 {
			g.Go(x.s, func() {})
		}
		g.Go(x.s, w.Do)
		return g.Wait(bg)
	}},
	{name: "Group.Go in a body", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		g := x.s.NewGroup()
		_ = x.after(x.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			g.Go(c, func() {})
			g.Go(c, w.Do)
			g.Go(c, func() {})
			return nil
		})).Launch())
		return g.Wait(bg)
	}},

	inBody("a fork that its Wait runs", func(c *taskgraph.Context, w *ways.Way) error {
		c.Fork(func(*taskgraph.Context, *taskgraph.Args) { w.Do() }, taskgraph.Args{}).Wait()
		return nil
	}),
	inBody("a fork without a Wait", func(c *taskgraph.Context, w *ways.Way) error {
		c.Fork(func(*taskgraph.Context, *taskgraph.Args) { w.Do() }, taskgraph.Args{})
		return nil
	}),
	inBody("a fork that was stolen", stolen),
	inBody("a fork of a T that its Wait runs", func(c *taskgraph.Context, w *ways.Way) error {
		taskgraph.ForkOf(c, func(*taskgraph.Context, *string) { w.Do() }, "").Wait()
		return nil
	}),
	inBody("a fork of a T without a Wait", func(c *taskgraph.Context, w *ways.Way) error {
		taskgraph.ForkOf(c, func(*taskgraph.Context, *string) { w.Do() }, "")
		return nil
	}),
	inBody("a fork of a T that was stolen", func(c *taskgraph.Context, w *ways.Way) (err error) {
		began := make(chan struct{})
		j := taskgraph.ForkOf(c, func(*taskgraph.Context, *string) { close(began); w.Do() }, "")
		<-began
		defer func() { err, _ = recover().(error) }()
		j.Wait()
		return nil
	}),
	inBody("Forks that are joined at once", func(c *taskgraph.Context, w *ways.Way) error {
		var kids taskgraph.Forks[int]
		for i := range 3 {
			kids.Fork(c, func(_ *taskgraph.Context, v *int) {
				if *v == 1 {
					w.Do()
				}
			}, i)
		}
		kids.Wait()
		return nil
	}),

	inBody("a loop, by a helper", ranByHelper),
	{name: "a loop in a body, by the caller", plain: true,
		call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
			return x.after(x.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.RunLoop(taskgraph.Loop{N: 1, Unbalanced: true,
					Body: func(*taskgraph.Participant, int, int) error { return w.Leave() }})
			})).Launch())
		}},
	{name: "a cheap loop in a body", plain: true,
		call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
			leave := false
			return x.after(x.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				body := func(int, int) {
					if leave {
						w.Do()
					}
				}
				for range 1000 { // until it is known to be cheap
					if err := c.ParallelFor(1, 0, body); err != nil {
						return err
					}
				}
				leave = true
				return c.ParallelFor(1, 0, body)
			})).Launch())
		}},
	{name: "PreWork of a loop", plain: true,
		call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
			return x.after(x.s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.RunLoop(taskgraph.Loop{N: 2, Unbalanced: true, PreWork: w.Do,
					Body: func(*taskgraph.Participant, int, int) error { return nil }})
			})).Launch())
		}},

	{name: "a loop as a task", plain: true,
		call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
			return x.after(x.s.Task(taskgraph.RunLoop(&taskgraph.Loop{N: 1, Unbalanced: true,
				Body: func(*taskgraph.Participant, int, int) error { return w.Leave() }})).Launch())
		}},
	{name: "a loop as a graph's task", plain: true, call: inGraph(func(w *ways.Way) taskgraph.Body {
		return taskgraph.ParallelFor(1, 0, func(int, int) { w.Do() })
	}, func(*waysScene, taskgraph.GraphTask) {})},

	{name: "a graph's task", call: inGraph(graphDo, func(*waysScene, taskgraph.GraphTask) {})},
	{name: "a graph's task with an error",
		call: inGraph(graphTry, func(*waysScene, taskgraph.GraphTask) {})},
	{name: "a graph's task with a priority",
		call: inGraph(graphTry, func(_ *waysScene, task taskgraph.GraphTask) {
			task.Priority(taskgraph.PriorityHigh)
		})},
	{name: "a graph's task on a thread",
		call: inGraph(graphTry, func(x *waysScene, task taskgraph.GraphTask) { task.On(x.th) })},

	{name: "Broadcast, on workers", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		return x.s.Broadcast(bg, func(_ int, th *namedthread.Thread) {
			if th == nil {
				w.Do()
			}
		})
	}},
	{name: "Broadcast, on a thread", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		return x.s.Broadcast(bg, func(_ int, th *namedthread.Thread) {
			if th != nil {
				w.Do()
			}
		})
	}},
	{name: "Rendezvous", call: func(_ *testing.T, x *waysScene, w *ways.Way) error {
		return x.s.Rendezvous(bg, func(int, *namedthread.Thread) { w.Do() })
	}},

	{name: "a thread's own work", call: func(t *testing.T, x *waysScene, w *ways.Way) error {
		before := x.th.Err()
		require.NoError(t, before)
		require.NoError(t, x.th.Post(namedthread.QueueMain, namedthread.PriorityNormal,
			namedthread.Func(w.Do), 0))
		wait(t, x.s, x.s.Task(taskgraph.Do(func() {})).On(x.th).Launch())
		if err := x.th.Err(); err != nil || !w.Ends {
			return err
		}
		return graphevent.ErrGoexit // a thread does not tell of that
	}},
}

// TestWaysToLeave lets a function leave in every way from every place that calls one. Its failure
// is that of the event, with its cause, and all workers and threads go on.
func TestWaysToLeave(t *testing.T) {
	for place, at := range callSites {
		t.Run(at.name, func(t *testing.T) {
			for i := range ways.All {
				w := &ways.All[i]
				crews := []int{2, 3}
				if testing.Short() { // each way and each place, but not all pairs
					if i%3 != place%3 {
						continue
					}
					crews = crews[i%2:][:1]
				}
				for _, workers := range crews {
					leaveAt(t, at, w, workers)
				}
			}
		})
	}
}

func leaveAt(t *testing.T, at callSite, w *ways.Way, workers int) {
	reg := namedthread.NewRegistry()
	th, err := reg.Start("Ways", namedthread.Options{})
	require.NoError(t, err)
	o := at.opts
	o.Workers, o.Threads, o.StuckAfter = workers, reg, hangLimit
	x := &waysScene{s: taskgraph.Start(o), th: th}
	stop := watch.Hangs(0, at.name+": "+w.Name, x.s)
	defer stop()
	err = at.call(t, x, w)
	if at.plain && w.Ends {
		require.ErrorIs(t, err, graphevent.ErrGoexit)
	} else {
		require.NoError(t, w.Check(err, graphevent.ErrGoexit))
	}
	alive(t, x)
	require.NoError(t, x.s.Shutdown(bg))
	th.Quit()
	<-th.Done()
}

// alive requires that each worker comes when it is called, and the thread, and that they run what
// comes next.
func alive(t *testing.T, x *waysScene) {
	t.Helper()
	var came atomics.Int32
	require.NoError(t, x.s.Rendezvous(bg, func(int, *namedthread.Thread) { came.Add(1) }))
	require.EqualValues(t, x.s.LoopLimit(), came.Load(), "workers and a thread")
	for range 4 {
		wait(t, x.s, x.s.Go(func() {}), x.s.Task(taskgraph.Do(func() {})).On(x.th).Launch())
	}
}

// TestWaysToLeaveCallbacks: functions of the Options are no bodies; Shutdown returns what they fail
// with.
func TestWaysToLeaveCallbacks(t *testing.T) {
	stuck := func(x *waysScene, called *sync.WaitGroup) {
		gate := x.s.NewEvent()
		after := x.s.Task(taskgraph.Do(func() {})).After(gate).Launch()
		called.Wait()
		gate.Trigger()
		wait1(x.s, after)
	}
	failed := func(b func(x *waysScene) taskgraph.Event) func(*waysScene, *sync.WaitGroup) {
		return func(x *waysScene, called *sync.WaitGroup) {
			err := x.after(b(x))
			if !errors.Is(err, errBoom) {
				panic(fmt.Sprint("a task that should fail: ", err))
			}
			called.Wait()
		}
	}
	fail := taskgraph.Try(func() error { return errBoom })
	onFailure := func(o *taskgraph.Options, f func()) { o.OnFailure = func(string, error) { f() } }
	for place, at := range []struct {
		name string
		set  func(o *taskgraph.Options, f func())
		call func(x *waysScene, called *sync.WaitGroup)
	}{
		{"OnStuck", func(o *taskgraph.Options, f func()) {
			o.OnStuck = func(*taskgraph.StuckReport) { f() }
		}, stuck},
		{"Logger", func(o *taskgraph.Options, f func()) {
			o.Logger = slog.New(waysHandler(f))
		}, stuck},
		{"OnFailure", onFailure, failed(func(x *waysScene) taskgraph.Event {
			return x.s.Task(fail).Launch()
		})},
		{"OnFailure after a panic", onFailure, failed(func(x *waysScene) taskgraph.Event {
			return x.s.Go(func() { panic(errBoom) })
		})},
		{"OnFailure on a thread", onFailure, failed(func(x *waysScene) taskgraph.Event {
			return x.s.Task(fail).On(x.th).Launch()
		})},
		{"OnFailure of a graph", onFailure, failed(func(x *waysScene) taskgraph.Event {
			var b taskgraph.GraphBuilder
			b.Task(fail)
			g, _ := b.Build()
			return x.s.LaunchGraph(g)
		})},
	} {
		t.Run(at.name, func(t *testing.T) {
			for i := range ways.All {
				w := &ways.All[i]
				if testing.Short() && i%3 != place%3 { // each way and each place, but not all pairs
					continue
				}
				reg, ths := threads(t, "Ways")
				var called sync.WaitGroup
				called.Add(1)
				var once sync.Once
				o := taskgraph.Options{Workers: 2, Threads: reg, StuckAfter: time.Millisecond}
				at.set(&o, func() {
					leave := false
					once.Do(func() { leave = true })
					if leave {
						defer called.Done()
						w.Do()
					}
				})
				x := &waysScene{s: taskgraph.Start(o), th: ths[0]}
				stop := watch.Hangs(0, at.name+": "+w.Name, x.s)
				at.call(x, &called)
				alive(t, x)
				err := x.s.Shutdown(bg)
				stop()
				require.NoError(t, w.Check(err, graphevent.ErrGoexit))
			}
		})
	}
}

// A waysHandler is a handler of a logger that leaves.
type waysHandler func()

func (waysHandler) Enabled(context.Context, slog.Level) bool    { return true }
func (f waysHandler) Handle(context.Context, slog.Record) error { f(); return nil }
func (f waysHandler) WithAttrs([]slog.Attr) slog.Handler        { return f }
func (f waysHandler) WithGroup(string) slog.Handler             { return f }

// TestNilPanicThatRecoverDoesNotSee: with an old setting of the program's a nil panic looks like a
// Goexit, but the goroutine goes on.
func TestNilPanicThatRecoverDoesNotSee(t *testing.T) {
	t.Setenv("GODEBUG", "panicnil=1")
	hang.Watch(t)
	s := start(t, taskgraph.Options{Workers: 2})
	nilPanic := func() { panic(nil) }
	for range 3 {
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, s.Go(nilPanic)), graphevent.ErrGoexit)
		require.ErrorIs(t, s.ParallelFor(1, 0, func(int, int) { panic(nil) }), graphevent.ErrGoexit)
		require.ErrorIs(t, s.Broadcast(bg, func(int, *namedthread.Thread) { panic(nil) }),
			graphevent.ErrGoexit)
		run(t, s, func(c *taskgraph.Context) error {
			e := c.Go(nilPanic)
			require.ErrorIs(t, c.WaitUntilTasksComplete(bg, e), graphevent.ErrGoexit)
			return nil
		})
	}
	before := runtime.NumGoroutine()
	wait(t, s, s.Go(func() {}))
	// A worker that is replaced may end after the one that replaces it has begun.
	hang.Await(func() bool { return runtime.NumGoroutine() <= before })
}
