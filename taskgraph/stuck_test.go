package taskgraph_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

var updateGolden = flag.Bool("update", false, "write testdata instead of comparing with it")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", "stuck", name)
	if *updateGolden {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

// idleReport returns a report of s when it is idle, and accept says that what was begun has come so
// far.
func idleReport(s *taskgraph.System, accept func(string) bool) *taskgraph.StuckReport {
	for {
		if r := s.Stuck(); r.Idle && (accept == nil || accept(r.String())) {
			return r
		}
		runtime.Gosched()
	}
}

func noop() taskgraph.Body { return taskgraph.Do(func() {}) }

// waitFor is a body that waits for what *e is by then.
func waitFor(ctx context.Context, e *taskgraph.Event) taskgraph.Body {
	return taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(ctx, *e)
	})
}

// A scene builds something stuck, and returns what ends it and what the text has when it is
// complete.
type stuckScene struct {
	name  string
	build func(t *testing.T, s *taskgraph.System, th *namedthread.Thread) (end func(), has []string)
}

var stuckScenes = []stuckScene{
	{"nothing", func(*testing.T, *taskgraph.System, *namedthread.Thread) (func(), []string) {
		return func() {}, nil
	}},
	{"untriggered", func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(),
		[]string) {
		skin := s.Name(s.NewEvent(), "skin")
		draw := s.Task(noop()).Name("draw").After(skin).Launch()
		s.Task(noop()).Name("present").After(draw, skin).Launch()
		s.Task(noop()).Name("log").After(draw).Launch()
		return func() { skin.Trigger() }, nil
	}},
	{"never launched", func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(),
		[]string) {
		held := s.Task(noop()).Name("held")
		s.Task(noop()).Name("after").After(held.Event()).Launch()
		return func() { held.Launch() }, nil
	}},
	{"combined", func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(), []string) {
		a, b := s.Name(s.NewEvent(), "a"), s.Name(s.NewEvent(), "b")
		any := s.Name(s.Any(a, b), "any")
		all := s.Name(s.All(a, b), "all")
		s.Task(noop()).Name("first").After(any).Launch()
		s.Task(noop()).Name("last").After(all).Launch()
		return func() { a.Trigger(); b.Trigger() }, nil
	}},
	{"held open", func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(),
		[]string) {
		e := s.Name(s.NewEvent(), "release")
		open := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.DontCompleteUntil(e)
			return nil
		})).Name("open").Launch()
		s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if !e.IsComplete() {
				c.Again(e)
			}
			return nil
		})).Name("again").Launch()
		parent := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.DontCompleteUntil(c.Task(noop()).Name("child").After(e).Launch())
			return nil
		})).Name("parent").Launch()
		s.Task(noop()).Name("after").After(open, parent).Launch()
		m := s.Name(s.NewEvent(), "manual")
		m.DontCompleteUntil(open)
		m.Trigger()
		return func() { e.Trigger() }, nil
	}},
	{"waits", func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(), []string) {
		ctx, cancel := context.WithCancel(bg) // can end, so that nothing is run on top of the waits
		e := s.Name(s.NewEvent(), "signal")
		inner := s.Task(waitFor(ctx, &e)).Name("inner").Launch()
		outer := s.Task(waitFor(ctx, &inner)).Name("outer").Launch()
		many := make([]taskgraph.Event, 20)
		for i := range many {
			many[i] = s.Task(noop()).Name(fmt.Sprintf("part %d", i)).After(e).Launch()
		}
		all := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(ctx, many...)
		})).Name("many").Launch()
		var out sync.WaitGroup
		out.Go(func() { _ = s.WaitUntilTasksComplete(bg, inner) })
		return func() {
				e.Trigger()
				out.Wait()
				wait(t, s, all,
					outer)
				cancel()
			}, []string{"a goroutine waits for task \"inner\"", `"many" waits for`,
				`"outer" waits for`}
	}},
	{"on top of another", func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(),
		[]string) {
		e := s.Name(s.NewEvent(), "signal")
		s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			upper := c.Task(waitFor(bg, &e)).Name("upper").Launch()
			return c.WaitUntilTasksComplete(bg, upper)
		})).Name("lower").Launch()
		return func() { e.Trigger() }, []string{`"upper" waits for`}
	}},
	{"cycle of prerequisites",
		func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(), []string) {
			cut := s.Name(s.NewEvent(), "cut")
			a, b, c := s.Task(noop()).Name("a"), s.Task(noop()).Name("b"), s.Task(noop()).Name("c")
			a.After(b.Event())
			b.After(c.Event())
			c.After(s.Name(s.Any(a.Event(), cut), "a or cut"))
			cut.DontCompleteUntil(s.Task(noop()).Name("behind").After(a.Event()).Launch())
			a.Launch()
			b.Launch()
			e := c.Launch()
			s.Task(noop()).Name("outside").After(e).Launch()
			return func() {}, nil
		}},
	{"gates", func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(), []string) {
		e := s.Name(s.NewEvent(), "release")
		pipe, lim, sem := s.NewPipe(), s.NewLimiter(2), s.NewSemaphore(1)
		open := taskgraph.Run(func(c *taskgraph.Context) error {
			c.DontCompleteUntil(e)
			return nil
		})
		s.Task(open).Name("in pipe").In(pipe).Launch()
		s.Task(noop()).Name("next in pipe").In(pipe).Launch()
		for _, name := range []string{"place 1", "place 2"} {
			s.Task(open).Name(name).Limit(lim).Launch()
		}
		s.Task(noop()).Name("no place").Limit(lim).Launch()
		require.True(t, sem.TryAcquire())
		s.Task(taskgraph.Do(func() { sem.Release() })).Name("no unit").Acquire(sem).Launch()
		s.Task(noop()).Name("after the pipe").After(pipe.Idle()).Launch()
		s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if err := c.Acquire(bg, sem); err != nil {
				return err
			}
			sem.Release()
			return nil
		})).Name("acquires").Launch()
		return func() { sem.Release(); e.Trigger() }, []string{`"acquires" waits`}
	}},
	{"thread", func(t *testing.T, s *taskgraph.System, th *namedthread.Thread) (func(), []string) {
		awake := make(chan struct{})
		require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityHigh,
			namedthread.Func(func() { <-awake }), 0))
		ui := s.Task(noop()).Name("ui").On(th).Launch()
		after := s.Task(noop()).Name("after").After(ui).Launch()
		return func() { close(awake); wait(t, s, after) }, nil
	}},
	{"waits on a thread", func(t *testing.T, s *taskgraph.System, th *namedthread.Thread) (func(),
		[]string) {
		e := s.Name(s.NewEvent(), "frame")
		require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityHigh,
			namedthread.Func(func() {
				_ = s.WaitUntilTasksComplete(bg, e)
			}), 0))
		s.Task(waitFor(bg, &e)).Name("on its own").OnOwnThread().Launch()
		s.Task(waitFor(bg, &e)).Name("in a body").Launch()
		return func() { e.Trigger() }, []string{"thread Stuck waits", `"on its own" waits`,
			`"in a body" waits`}
	}},
	{"graph", func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(), []string) {
		e := s.Name(s.NewEvent(), "upload")
		var b taskgraph.GraphBuilder
		first := b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.DontCompleteUntil(e)
			return nil
		}))
		b.Task(noop()).After(first)
		b.Task(waitFor(bg, &e))
		g, err := b.Build()
		require.NoError(t, err)
		run := s.Name(s.LaunchGraph(g), "frame")
		s.Task(noop()).Name("after").After(run).Launch()
		return func() { e.Trigger() }, []string{`task "frame" waits for 3 of its 3 tasks`}
	}},
	{"graph on a thread", func(t *testing.T, s *taskgraph.System, th *namedthread.Thread) (func(),
		[]string) {
		awake := make(chan struct{})
		require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityHigh,
			namedthread.Func(func() { <-awake }), 0))
		var b taskgraph.GraphBuilder
		cull := b.Task(noop())
		b.Task(noop()).After(b.Task(noop()).On(th).After(cull))
		b.Task(noop()).On(th).After(cull)
		g, err := b.Build()
		require.NoError(t, err)
		frame := s.Name(s.LaunchGraph(g), "frame")
		after := s.Task(noop()).Name("after").After(frame).Launch()
		return func() { close(awake); wait(t, s, after) }, nil
	}},
	{"many", func(t *testing.T, s *taskgraph.System, _ *namedthread.Thread) (func(), []string) {
		e := s.Name(s.NewEvent(), "signal")
		var all []taskgraph.Event
		for i := range 1200 {
			all = append(all, s.Task(noop()).Name(fmt.Sprintf("task number %d",
				i)).After(e).Launch())
		}
		s.Task(noop()).Name("collect").After(all...).Launch()
		return func() { e.Trigger() }, nil
	}},
}

// What the report says of each way of being stuck: the texts are read like code.
func TestStuckReports(t *testing.T) {
	for _, c := range stuckScenes {
		t.Run(c.name, func(t *testing.T) {
			guard(t)
			reg := namedthread.NewRegistry()
			th, err := reg.Start("Stuck", namedthread.Options{})
			require.NoError(t, err)
			o := taskgraph.Options{Workers: 2, Threads: reg, StuckAfter: time.Hour}
			if strings.HasPrefix(c.name, "cycle") { // only Shutdown ends it
				o.StuckAfter = 10 * time.Millisecond
			}
			s := taskgraph.Start(o)
			end, has := c.build(t, s, th)
			r := idleReport(s, func(text string) bool {
				for _, part := range has {
					if !strings.Contains(text, part) {
						return false
					}
				}
				return true
			})
			file := strings.ReplaceAll(c.name, " ", "-")
			golden(t, file+".txt", r.String()+"\n")
			golden(t, file+".dot", r.DOT())
			checkDOT(t, r.DOT())
			end()
			err = s.Shutdown(bg)
			if strings.HasPrefix(c.name, "cycle") {
				require.Error(t, err)
			} else {
				require.NoError(t, err)
			}
			th.Quit()
			<-th.Done()
		})
	}
}

// checkDOT checks what Graphviz would: statements that end, names that were declared, quotes that
// close.
func checkDOT(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	require.Equal(t, "digraph stuck {", lines[0])
	require.Equal(t, "}", lines[len(lines)-1])
	declared := map[string]bool{}
	for pass := range 2 {
		for _, line := range lines[1 : len(lines)-1] {
			require.True(t, strings.HasSuffix(line, ";"), line)
			require.Zero(t, strings.Count(strings.ReplaceAll(line, `\"`, ""), `"`)%2, line)
			name, rest, _ := strings.Cut(strings.TrimSpace(strings.TrimSuffix(line, ";")), " ")
			switch {
			case strings.HasPrefix(rest, "-> "):
				to, _, _ := strings.Cut(rest[3:], " ")
				if pass == 1 {
					require.True(t, declared[name] && declared[to], line)
				}
			case strings.HasPrefix(rest, "["):
				declared[name] = true
			}
		}
	}
}

// Two bodies that wait for each other, through their Contexts: both are named, with the stacks.
func TestStuckBodiesThatWaitForEachOther(t *testing.T) {
	for _, threads := range []*namedthread.Registry{nil, namedthread.NewRegistry()} {
		guard(t)
		s := taskgraph.Start(taskgraph.Options{Workers: 2, StuckAfter: 10 * time.Millisecond,
			Threads: threads})
		var a, b taskgraph.Event
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		gate := s.NewEvent()
		a = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return waitHere(ctx, c,
				b)
		})).Name("a").After(gate).Launch()
		b = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return waitThere(ctx, c,
				a)
		})).Name("b").After(gate).Launch()
		gate.Trigger()
		err := s.Shutdown(bg)
		var stuck *taskgraph.StuckError
		require.ErrorAs(t, err, &stuck)
		require.Equal(t, [][]string{{`task "a"`, `task "b"`}}, stuck.Cycles)
		require.ErrorContains(t, err, `cycle: task "a" waits for task "b" waits for task "a"`)
		require.Len(t, stuck.Tasks, 2)
		require.Contains(t, stuck.Tasks[0].Stack, "taskgraph_test.waitHere")
		require.Contains(t, stuck.Tasks[1].Stack, "taskgraph_test.waitThere")
		require.Contains(t, stuck.String(), "waitThere")
		require.NotContains(t, stuck.String(), "taskgraph.(*runner)")
		require.Error(t, b.Err())
	}
}

//go:noinline
func waitHere(ctx context.Context, c *taskgraph.Context, e taskgraph.Event) error {
	return c.WaitUntilTasksComplete(ctx, e)
}

//go:noinline
func waitThere(ctx context.Context, c *taskgraph.Context, e taskgraph.Event) error {
	return c.WaitUntilTasksComplete(ctx, e)
}

// Two bodies that wait for each other without a Context are seen with Options.Sites: the system
// knows which goroutine runs which body then.
func TestStuckBodiesWithoutContext(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2, Sites: true})
	var a, b taskgraph.Event
	ctx, cancel := context.WithCancel(bg)
	gate := s.NewEvent()
	a = s.Task(taskgraph.Do(func() {
		_ = s.WaitUntilTasksComplete(ctx,
			b)
	})).Name("a").After(gate).Launch()
	b = s.Task(taskgraph.Do(func() {
		_ = s.WaitUntilTasksComplete(ctx,
			a)
	})).Name("b").After(gate).Launch()
	gate.Trigger()
	for {
		r := s.Stuck()
		if len(r.Cycles) > 0 {
			require.Equal(t, [][]string{{`task "a"`, `task "b"`}}, r.Cycles)
			require.Contains(t, r.Tasks[0].Stack, "TestStuckBodiesWithoutContext")
			break
		}
		runtime.Gosched()
	}
	cancel()
	wait(t, s, a, b)
}

// With Options.Sites the report says where things were made, by every way to make them.
func TestStuckSites(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, Sites: true})
	_, file, line, _ := runtime.Caller(0)
	e := s.NewEvent()
	s.Task(noop()).Name("task").After(e).Launch()
	taskgraph.Retain(noop()).Name("retained").Launch(s, e)
	run(t, s, func(c *taskgraph.Context) error {
		c.Task(noop()).Name("inner").After(e).Launch()
		return nil
	})
	r := idleReport(s, nil)
	sites := map[string]string{}
	for _, task := range r.Tasks {
		sites[task.Name] = task.Site
	}
	at := func(n int) string { return fmt.Sprintf("%s:%d", filepath.Base(file), line+n) }
	require.Equal(t, map[string]string{e.String(): at(1), `task "task"`: at(2),
		`task "retained"`: at(3), `task "inner"`: at(5)}, sites)
	require.Contains(t, r.String(),
		fmt.Sprintf(`task "task" (launched at %s) waits for %s: nobody has triggered it`, at(2), e))
	e.Trigger()
}

// Without a name and without sites, the function of the body says which task it is.
func TestStuckNamesTheFunction(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	e := s.NewEvent()
	s.Task(taskgraph.Do(aTaskOfItsOwn)).After(e).Launch()
	s.Task(taskgraph.RunJob(&aJob{})).After(e).Launch()
	text := idleReport(s, nil).String()
	require.Contains(t, text, "of taskgraph_test.aTaskOfItsOwn waits for")
	require.Contains(t, text, "of *taskgraph_test.aJob waits for")
	e.Trigger()
}

func aTaskOfItsOwn() {}

type aJob struct{}

func (*aJob) Run(*taskgraph.Context) error { return nil }

// A name is one event's: not of the next one in its place, and an event that is no task does not
// have the name of an older task.
func TestNamesAreOfOneEvent(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	for range 300 { // more than a worker keeps free places for itself
		wait(t, s, s.Task(noop()).Name("old").Launch())
	}
	var events []taskgraph.Event
	for range 70 {
		events = append(events, s.NewEvent())
	}
	require.NotContains(t, s.Stuck().String(), "old")
	s.Name(events[0], "named")
	require.Contains(t, s.Stuck().String(), `event "named": nobody has triggered it`)
	for _, e := range events {
		e.Trigger()
	}
	require.Equal(t, events[0], s.Name(events[0], "late"), "and nothing happens")
	for range 70 {
		e := s.NewEvent()
		defer e.Trigger()
	}
	text := s.Stuck().String()
	require.NotContains(t, text, "named\"")
	require.NotContains(t, text, "late")
}

// A delay is no reason to be stuck: it comes by itself.
func TestStuckIsNotWhatWaitsForADelay(t *testing.T) {
	guard(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	s.Task(noop()).Name("later").After(s.AfterDelay(time.Hour)).Launch()
	r := idleReport(s, nil)
	assert.Zero(t, r.Stuck)
	assert.Contains(t, r.String(), "taskgraph: nothing is stuck, 2 incomplete")
	assert.Contains(t, r.String(), `task "later" waits for event`)
	assert.Contains(t, r.String(), "it is due in 59m")
	ctx, cancel := context.WithCancel(bg)
	cancel()
	require.ErrorContains(t, s.Shutdown(ctx), "later")
}

// The name that a system is given for an event of another one is nobody's, although both systems
// have an event of that number.
func TestNameOfAForeignEvent(t *testing.T) {
	one, other := start(t, taskgraph.Options{Workers: 1}), start(t, taskgraph.Options{Workers: 1})
	mine, theirs := one.NewEvent(), other.NewEvent()
	require.Equal(t, mine.String(), theirs.String(), "or this test shows nothing")
	require.Equal(t, theirs, one.Name(theirs, "theirs"))
	require.NotContains(t, one.Stuck().String(), "theirs")
	one.Name(mine, "mine")
	require.Contains(t, one.Stuck().String(), "mine")
	mine.Trigger()
	theirs.Trigger()
}
