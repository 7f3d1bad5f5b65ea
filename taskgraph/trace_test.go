package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A seen is what a snapshot says of one task.
type seen struct {
	begins, ends, ready, done, launch    int
	began, ended, readied, over, started time.Duration
	failed                               bool
}

// judge checks what each snapshot must obey, and returns what it says of each task.
func judge(t require.TestingT, s *trace.Snapshot) map[trace.ID]*seen {
	of := map[trace.ID]*seen{}
	at := func(id trace.ID) *seen {
		if of[id] == nil {
			of[id] = &seen{}
		}
		return of[id]
	}
	type frame struct {
		kind trace.Kind
		id   trace.ID
	}
	for _, l := range s.Lanes {
		var stack []frame
		last := time.Duration(0)
		for i, e := range l.Events {
			require.GreaterOrEqual(t, e.At, last, "%s: event %d goes back", l.Name, i)
			require.LessOrEqual(t, e.At, s.To, "%s: event %d is later than all", l.Name, i)
			last = e.At
			if e.Task != 0 {
				_, known := s.Tasks[e.Task] // Contains would copy all keys
				require.True(t, known)
			}
			x := at(e.Task)
			switch e.Kind {
			case trace.Begin, trace.Wait, trace.Range, trace.Park, trace.Blocked:
				stack = append(stack, frame{e.Kind, e.Task})
			case trace.End, trace.WaitEnd, trace.RangeEnd, trace.ParkEnd, trace.BlockedEnd:
				require.NotEmpty(t, stack, "%s: event %d ends nothing", l.Name, i)
				require.Equal(t, frame{e.Kind - 1, e.Task}, stack[len(stack)-1], "%s: event %d",
					l.Name, i)
				stack = stack[:len(stack)-1]
			}
			switch e.Kind {
			case trace.Begin:
				if x.begins++; x.begins == 1 {
					x.began = e.At
				}
			case trace.End:
				x.ends++
				x.ended = e.At
			case trace.Ready:
				if x.ready++; x.ready == 1 {
					x.readied = e.At
				}
			case trace.Launch:
				x.launch++
				x.started = e.At
			case trace.Done:
				x.done++
				x.over, x.failed = e.At, e.Arg == 1
			}
		}
	}
	for _, task := range s.Tasks {
		for _, before := range task.After {
			_, known := s.Tasks[before]
			require.True(t, known)
		}
	}
	return of
}

// byName returns the tasks with their names.
func byName(t require.TestingT, s *trace.Snapshot) map[string]trace.ID {
	names := map[string]trace.ID{}
	for id, task := range s.Tasks {
		if n, ok := strings.CutPrefix(task.Name, "t"); ok && strings.Trim(n, "0123456789") == "" {
			require.NotContains(t, names, task.Name)
			names[task.Name] = id
		}
	}
	return names
}

// ordered checks the moments of a task that has run once. Stamps that are shared may be late by a
// little; the recorders of these tests share none.
func (x *seen) ordered(t require.TestingT, name string) {
	require.Equal(t, 1, x.begins, name)
	require.Equal(t, 1, x.ends, name)
	require.Equal(t, 1, x.ready, name)
	require.Equal(t, 1, x.done, name)
	require.LessOrEqual(t, x.readied, x.began, name)
	require.LessOrEqual(t, x.began, x.ended, name)
	require.LessOrEqual(t, x.ended, x.over, name)
}

// A drawn is a program that has run.
type drawn struct {
	after           map[string][]string // which task waits for which, by name
	failed, skipped []string
	bound           map[string]bool // to the thread
	calls, panics   map[string]int  // of groups, by who has made them; "" is the program itself
}

// runDrawn draws a program and runs it; with a thread, some of its tasks are bound to that.
func runDrawn(t *rapid.T, opts taskgraph.Options, th *namedthread.Thread) *drawn {
	sys := taskgraph.Start(opts)
	d := &drawn{after: map[string][]string{}, bound: map[string]bool{},
		calls: map[string]int{}, panics: map[string]int{}}
	n := rapid.IntRange(1, 30).Draw(t, "tasks")
	var events []taskgraph.Event
	fails := map[string]bool{}
	for i := range n {
		name := fmt.Sprintf("t%d", i)
		kind := rapid.IntRange(0, 10).Draw(t, "kind")
		body := taskgraph.Run(func(c *taskgraph.Context) error {
			switch kind {
			case 1:
				return c.Wait(c.Go(func() {}), c.Go(func() {}))
			case 2:
				j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
				j.Wait()
			case 3:
				return c.ParallelFor(64, 8, func(int, int) {})
			case 4:
				return errors.New("fails")
			case 5:
				c.DontCompleteUntil(c.Go(func() {}))
			case 6:
				c.Blocking(runtime.Gosched)
			case 7:
				panic("panics")
			case 8, 9:
				g := sys.NewGroup()
				g.Go(c, calledByGroup)
				g.Go(c, calledByGroup)
				if kind == 9 {
					g.Go(c, panicsInGroup)
				}
				return g.Wait(context.Background())
			case 10:
				c.DontCompleteUntil(c.Task(taskgraph.Do(func() {})).OnOwnThread().Launch())
			}
			return nil
		})
		task := sys.Task(body).Name(name)
		if th != nil && rapid.Bool().Draw(t, "bound") {
			task.On(th)
			d.bound[name] = true
		}
		d.after[name] = nil
		bad := false
		if i > 0 {
			for _, k := range rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, 3,
				rapid.ID).Draw(t, "after") {
				task.After(events[k])
				before := fmt.Sprintf("t%d", k)
				d.after[name] = append(d.after[name], before)
				bad = bad || fails[before]
			}
		}
		switch {
		case bad:
			fails[name] = true
			d.skipped = append(d.skipped, name)
		case kind == 4 || kind == 7 || kind == 9:
			fails[name] = true
			d.failed = append(d.failed, name)
		}
		if (kind == 8 || kind == 9) && !bad {
			d.calls[name] = 2
			if kind == 9 {
				d.panics[name] = 1
			}
		}
		events = append(events, task.Launch())
	}
	g := sys.NewGroup()
	for range rapid.IntRange(0, 3).Draw(t, "calls") {
		g.Go(sys, calledByGroup)
		d.calls[""]++
	}
	_ = sys.WaitUntilTasksComplete(context.Background(), append(events, g.Idle())...)
	_ = sys.Shutdown(context.Background())
	return d
}

func calledByGroup() {}

func panicsInGroup() { panic("in a group") }

func checkDrawn(t *rapid.T, opts taskgraph.Options, th *namedthread.Thread) {
	rec := trace.New(trace.Options{Exact: true})
	opts.Trace = rec
	d := runDrawn(t, opts, th)
	s := rec.Snapshot()
	of, names := judge(t, s), byName(t, s)
	require.Len(t, names, len(d.after))
	for name, want := range d.after {
		id := names[name]
		x := of[id]
		require.NotNil(t, x, name)
		require.Equal(t, 1, x.launch, name)
		if slices.Contains(d.skipped, name) {
			require.Zero(t, x.begins, name)
			require.Equal(t, 1, x.done, name)
			require.True(t, x.failed, name)
		} else {
			x.ordered(t, name)
			require.Equal(t, slices.Contains(d.failed, name), x.failed, name)
		}
		var got []string
		for _, before := range s.Tasks[id].After {
			got = append(got, s.Tasks[before].Name)
		}
		require.ElementsMatch(t, want, got, name)
	}
	calls, panics := map[string]int{}, map[string]int{}
	for _, l := range s.Lanes {
		for _, e := range l.Events {
			if e.Kind != trace.Begin {
				continue
			}
			name := s.Tasks[e.Task].Name
			if d.bound[name] {
				require.Equal(t, trace.LaneThread, l.Kind, name)
				require.Equal(t, "thread "+th.Name(), l.Name, name)
			}
			ofGroup, fails := strings.HasSuffix(name, ".calledByGroup"), false
			if ofGroup {
				calls[s.Tasks[s.Tasks[e.Task].Parent].Name]++
			} else if ofGroup = strings.HasSuffix(name, ".panicsInGroup"); ofGroup {
				panics[s.Tasks[s.Tasks[e.Task].Parent].Name]++
				fails = true
			}
			if ofGroup {
				require.Equal(t, 1, of[e.Task].launch)
				of[e.Task].ordered(t, name)
				require.Equal(t, fails, of[e.Task].failed)
				require.Equal(t, "normal", s.Tasks[e.Task].Priority)
			}
		}
	}
	require.Equal(t, d.calls, calls)
	require.Equal(t, d.panics, panics)
}

// TestTraceOfAnyProgram: a snapshot says of each task what the program has asked for.
func TestTraceOfAnyProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkDrawn(t, taskgraph.Options{Workers: rapid.IntRange(1, 4).Draw(t, "workers")}, nil)
	})
}

// TestTraceOfThreads: it says of tasks of a named thread that they ran there.
func TestTraceOfThreads(t *testing.T) {
	reg := namedthread.NewRegistry()
	th, err := reg.Start("bound", namedthread.Options{})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		checkDrawn(t, taskgraph.Options{Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
			Threads: reg}, th)
	})
	th.Quit()
	<-th.Done()
	require.NoError(t, th.Err())
}

// TestTraceOfAnyProgramByTurns: it does in deterministic mode, too.
func TestTraceOfAnyProgramByTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &taskgraph.Deterministic{Seed: rapid.Uint64().Draw(t, "seed")}
		checkDrawn(t, taskgraph.Options{Deterministic: d}, nil)
	})
}

// TestTraceOfAnyGraph: so it does of the tasks of graphs, in each of their runs.
func TestTraceOfAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := trace.New(trace.Options{Exact: true})
		sys := taskgraph.Start(taskgraph.Options{Workers: 2, Trace: rec})
		var b taskgraph.GraphBuilder
		n := rapid.IntRange(1, 40).Draw(t, "tasks")
		context1 := rapid.Bool().Draw(t, "with a Context")
		tasks := make([]taskgraph.GraphTask, n)
		after := map[string][]string{}
		for i := range tasks {
			body := taskgraph.Do(func() {})
			if context1 && i%3 == 1 {
				body = taskgraph.Run(func(c *taskgraph.Context) error {
					return c.Wait(c.Go(func() {}))
				})
			}
			if context1 && i%3 == 2 {
				body = taskgraph.Run(func(c *taskgraph.Context) error {
					c.DontCompleteUntil(c.Go(func() {}))
					return nil
				})
			}
			name := fmt.Sprintf("t%d", i)
			tasks[i] = b.Task(body).Name(name)
			after[name] = nil
			if i > 0 {
				for _, k := range rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, 3,
					rapid.ID).Draw(t, "after") {
					tasks[i].After(tasks[k])
					after[name] = append(after[name], fmt.Sprintf("t%d", k))
				}
			}
		}
		g, err := b.Build()
		require.NoError(t, err)
		const runs = 3
		for range runs {
			require.NoError(t, sys.RunGraph(context.Background(), g))
		}
		require.NoError(t, sys.Shutdown(context.Background()))
		s := rec.Snapshot()
		of := judge(t, s)
		count := map[string]int{}
		for id, task := range s.Tasks {
			want, ok := after[task.Name]
			if !ok {
				continue
			}
			count[task.Name]++
			require.Equal(t, "graph 1", task.Graph)
			require.NotZero(t, task.Run)
			of[id].ordered(t, task.Name)
			var got []string
			for _, before := range task.After {
				require.Equal(t, task.Run, s.Tasks[before].Run)
				got = append(got, s.Tasks[before].Name)
				require.LessOrEqual(t, of[before].over, of[id].readied)
			}
			require.ElementsMatch(t, want, got, task.Name)
		}
		for name := range after {
			require.Equal(t, runs, count[name], name)
		}
	})
}

// TestTraceWhileItIsWritten: snapshots that are taken meanwhile obey the rules of all snapshots,
// when rings are overwritten too.
func TestTraceWhileItIsWritten(t *testing.T) {
	for _, exact := range []bool{false, true} {
		t.Run(fmt.Sprintf("exact %v", exact), func(t *testing.T) {
			rec := trace.New(trace.Options{Exact: exact, Records: 1})
			sys := taskgraph.Start(taskgraph.Options{Workers: 2, Trace: rec})
			var stop atomics.Bool
			e := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				for !stop.Load() {
					if err := c.Wait(c.Go(func() {}), c.Go(func() {})); err != nil {
						return err
					}
				}
				return nil
			})).Launch()
			lost := uint64(0)
			for i := 0; i < brief(10, 4) || lost == 0; i++ {
				s := rec.Snapshot()
				judge(t, s)
				for _, l := range s.Lanes {
					lost += l.Lost
				}
			}
			stop.Store(true)
			require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), e))
			require.NoError(t, sys.Shutdown(context.Background()))
			judge(t, rec.Snapshot())
		})
	}
}

// TestTraceIsOfOneSystem: times and tasks of two would be mixed up.
func TestTraceIsOfOneSystem(t *testing.T) {
	rec := trace.New(trace.Options{})
	sys := taskgraph.Start(taskgraph.Options{Workers: 1, Trace: rec})
	require.PanicsWithValue(t,
		"taskgraph: Options.Trace is a Recorder that another system has been given",
		func() { taskgraph.Start(taskgraph.Options{Workers: 1, Trace: rec}) })
	require.NoError(t, sys.Shutdown(context.Background()))
}

// TestTraceStops: nothing is recorded after Stop, and something after Start.
func TestTraceStops(t *testing.T) {
	rec := trace.New(trace.Options{Stopped: true})
	sys := taskgraph.Start(taskgraph.Options{Workers: 1, Trace: rec})
	run := func(name string) {
		e := sys.Task(taskgraph.Do(func() {})).Name(name).Launch()
		require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), e))
	}
	run("t0")
	rec.Start()
	run("t1")
	rec.Stop()
	run("t2")
	require.NoError(t, sys.Shutdown(context.Background()))
	names := byName(t, rec.Snapshot())
	require.Len(t, names, 1)
	require.Contains(t, names, "t1")
}

// TestTraceByTurnsRepeats: one seed makes one snapshot.
func TestTraceByTurnsRepeats(t *testing.T) {
	shot := func() *trace.Snapshot {
		rec := trace.New(trace.Options{})
		sys := taskgraph.Start(taskgraph.Options{Trace: rec,
			Deterministic: &taskgraph.Deterministic{Seed: 7}})
		e := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.ParallelFor(100, 5, func(int, int) {})
		})).Name("t0").Launch()
		last := sys.Task(taskgraph.Do(func() {})).After(e, sys.Go(func() {})).Launch()
		require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), last))
		require.NoError(t, sys.Shutdown(context.Background()))
		return rec.Snapshot()
	}
	one, two := shot(), shot()
	two.Began = one.Began
	require.Equal(t, one, two)
}

// TestTraceOfMarksAndRounds: marks are on the lane of the body, and rounds have their numbers.
func TestTraceOfMarksAndRounds(t *testing.T) {
	rec := trace.New(trace.Options{})
	label := rec.Label("moment")
	sys := taskgraph.Start(taskgraph.Options{Workers: 1, Trace: rec})
	round := 0
	e := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.Mark(label, uint64(round))
		if round++; round < 3 {
			c.Again()
		}
		return nil
	})).Name("t0").Launch()
	require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), e))
	require.NoError(t, sys.Shutdown(context.Background()))
	s := rec.Snapshot()
	x := judge(t, s)[byName(t, s)["t0"]]
	require.Equal(t, 3, x.begins)
	require.Equal(t, 3, x.ends)
	require.Equal(t, 1, x.done)
	begun, marked := uint64(0), uint64(0)
	for _, l := range s.Lanes {
		for _, e := range l.Events {
			switch e.Kind {
			case trace.Begin:
				require.Equal(t, begun, e.Arg)
				begun++
			case trace.Mark:
				require.Equal(t, trace.LaneWorker, l.Kind)
				require.Equal(t, "moment", s.Tasks[e.Other].Name)
				require.Equal(t, marked, e.Arg)
				marked++
			}
		}
	}
	require.Equal(t, uint64(3), begun)
	require.Equal(t, uint64(3), marked)
}

// TestTraceAllocatesNothing: a recorder has its memory from the beginning.
func TestTraceAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	rec := trace.New(trace.Options{})
	label := rec.Label("moment")
	sys := taskgraph.Start(taskgraph.Options{Workers: 1, Trace: rec})
	var b taskgraph.GraphBuilder
	first := b.Task(taskgraph.Do(func() {}))
	for range 10 {
		b.Task(taskgraph.Do(func() {})).After(first)
	}
	g, err := b.Build()
	require.NoError(t, err)
	nothing := taskgraph.Do(func() {})
	var inner float64
	e := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		inner = testing.AllocsPerRun(100, func() {
			c.Mark(label, 1)
			a := c.Spawn(nothing)
			_ = c.Wait(c.Task(nothing).After(a).Launch())
			_ = c.ParallelFor(100, 10, func(int, int) {})
		})
		return nil
	})).Launch()
	require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), e))
	require.Zero(t, inner)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = sys.RunGraph(context.Background(), g)
	}))
	require.NoError(t, sys.Shutdown(context.Background()))
}

func sumUp(*taskgraph.Participant, int, int) error { return nil }

// TestTraceNamesHelpers looks at who helps with a loop: a helper is called as the loop's body. A
// loop may end before anybody helps, so it is tried again.
func TestTraceNamesHelpers(t *testing.T) {
	rec := trace.New(trace.Options{})
	s := start(t, taskgraph.Options{Workers: 2, Trace: rec})
	for {
		require.NoError(t, s.Run(t.Context(), taskgraph.RunLoop(&taskgraph.Loop{
			N: 1 << 12, Grain: 1, Body: sumUp,
		})))
		snapshot := rec.Snapshot()
		helped := false
		for _, l := range snapshot.Lanes {
			for _, e := range l.Events {
				task := snapshot.Tasks[e.Task]
				if e.Kind == trace.Range && task.Parent != 0 {
					helped = true
					require.Equal(t, "taskgraph_test.sumUp", task.Name)
				}
			}
		}
		if helped {
			return
		}
	}
}

// TestTraceSaysWhenSleepersAreWoken looks at workers that slept: who was woken was so in the middle
// of that.
func TestTraceSaysWhenSleepersAreWoken(t *testing.T) {
	rec := trace.New(trace.Options{Exact: true})
	s := start(t, taskgraph.Options{Workers: 2, Trace: rec})
	for woken := 0; woken < 3; {
		hang.Await(func() bool { return s.Stats().Active == 0 })
		wait(t, s, s.Go(func() {}))
		snapshot := rec.Snapshot()
		judge(t, snapshot)
		woken = 0
		for _, l := range snapshot.Lanes {
			for i, e := range l.Events {
				if e.Kind == trace.Wake {
					woken++
					require.Equal(t, trace.LaneWorker, l.Kind)
					require.Equal(t, trace.Park, l.Events[i-1].Kind)
					require.Equal(t, trace.ParkEnd, l.Events[i+1].Kind)
				}
			}
		}
	}
}

// TestTraceReusesLanes: the lane of a thread that has ended is for others.
func TestTraceReusesLanes(t *testing.T) {
	rec := trace.New(trace.Options{})
	s := start(t, taskgraph.Options{Workers: 1, Trace: rec})
	const threads = 60
	for range threads {
		wait(t, s, s.Task(noop()).OnOwnThread().Launch())
	}
	lanes := 0
	for _, l := range rec.Snapshot().Lanes {
		if l.Kind == trace.LaneThread {
			lanes++
		}
	}
	require.Positive(t, lanes)
	require.Less(t, lanes, threads/2, "some end a little later than their tasks, not all")
}

// TestTraceTellsSparesFromWorkers: who stands in for a body that blocks, here unseen, is a spare.
func TestTraceTellsSparesFromWorkers(t *testing.T) {
	rec := trace.New(trace.Options{})
	s := start(t, taskgraph.Options{Workers: 1, Trace: rec})
	begun, goOn := make(chan struct{}), make(chan struct{})
	blocks := s.Go(func() { close(begun); <-goOn })
	<-begun
	wait(t, s, blocks, s.Go(func() { close(goOn) }))
	kinds := map[trace.LaneKind]int{}
	for _, l := range rec.Snapshot().Lanes {
		kinds[l.Kind]++
	}
	require.Equal(t, 1, kinds[trace.LaneWorker])
	require.Positive(t, kinds[trace.LaneSpare])
}

// TestGraphThatWasRecordedRunsWhereNothingIs: a graph forgets the recorder with each run.
func TestGraphThatWasRecordedRunsWhereNothingIs(t *testing.T) {
	ran := 0
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() { ran++ }))
	g, err := b.Build()
	require.NoError(t, err)
	recorded := start(t, taskgraph.Options{Workers: 1, Trace: trace.New(trace.Options{})})
	plain := start(t, taskgraph.Options{Workers: 1})
	for _, s := range []*taskgraph.System{recorded, plain, recorded, plain} {
		require.NoError(t, s.RunGraph(bg, g))
	}
	require.Equal(t, 4, ran)
}
