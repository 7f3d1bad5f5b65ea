package taskgraph_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// The watchdog reports once that an idle system is stuck, again when something else is, and not at
// all what nobody waits for.
func TestWatchdogReportsWhatIsStuck(t *testing.T) {
	reports := make(chan string, 100)
	s := start(t, taskgraph.Options{Workers: 1, StuckAfter: 2 * time.Millisecond,
		OnStuck: func(r *taskgraph.StuckReport) { reports <- r.String() }})
	// While a body builds them the system is not idle. Otherwise they could be reported halfway.
	build := func(f func()) { wait(t, s, s.Go(f)) }
	await := func(line string) { // what was there before may be reported once more
		for text := range reports {
			if strings.Contains(text, line) {
				return
			}
		}
	}
	lonely := s.NewEvent() // nobody waits for it: no report
	a, b := s.Name(s.NewEvent(), "a"), s.Name(s.NewEvent(), "b")
	var first, second taskgraph.Event
	build(func() { first = s.Task(noop()).Name("first").After(a).Launch() })
	await(`task "first" waits for event "a": nobody has triggered it`)
	build(func() { second = s.Task(noop()).Name("second").After(b).Launch() })
	await(`task "second" waits for event "b": nobody has triggered it`)
	a.Trigger()
	b.Trigger()
	wait(t, s, first, second)
	var held taskgraph.Task
	build(func() { held = s.Task(noop()).Name("held") })
	await(`task "held": it was never launched`)
	wait(t, s, held.Launch())
	lonely.Trigger()
	require.Empty(t, reports)
}

// While tasks still come and go, now and then, what waits is not reported as stuck, although the
// system is idle at each look.
func TestWatchdogWaitsForAStandstill(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, StuckAfter: time.Millisecond})
	look := s.WatchForStuck()
	e := s.NewEvent()
	waits := s.Task(noop()).After(e).Launch()
	for range 20 {
		wait(t, s, s.Go(func() {}))
		s.AwaitIdle()
		require.False(t, look())
	}
	for !look() { // nothing comes any more
		atomics.Gosched()
	}
	e.Trigger()
	wait(t, s, waits)
}

// A body that runs for too long is reported once, with its age and where it is; one that waits
// through its Context is not.
func TestWatchdogReportsBodiesThatRunForTooLong(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	reports := make(chan *taskgraph.StuckReport, 100)
	s := start(t, taskgraph.Options{Workers: 2, SlowAfter: 5 * time.Millisecond,
		StuckAfter: time.Hour,
		OnStuck:    func(r *taskgraph.StuckReport) { reports <- r },
		Logger: slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int,
			error) {
			mu.Lock()
			defer mu.Unlock()
			return log.Write(p)
		}), nil))})
	gate := make(chan struct{})
	e := s.NewEvent()
	reported := map[string]int{}
	note := func(r *taskgraph.StuckReport) {
		for _, task := range r.Tasks {
			reported[task.Name]++
		}
	}
	next := func(name string) (r *taskgraph.StuckReport, task taskgraph.StuckTask) {
		for task.Name != name { // others may be slow, too, on a busy machine
			r = <-reports
			note(r)
			for _, task = range r.Tasks {
				if task.Name == name {
					break
				}
			}
		}
		return r, task
	}
	var launched []taskgraph.Event
	var r *taskgraph.StuckReport
	var waits, slow string
	var task taskgraph.StuckTask
	// there, one may be slow to come to its wait, and the other one to where it stays
	isThere := func() bool { return strings.Contains(task.Stack, "taskgraph_test.stayHere") }
	for try := 0; try == 0 || reported[waits] > 0 || !isThere(); try++ {
		require.Less(t, try, 1000, "a waiting task is reported, or a slow one elsewhere:\n%s",
			task.Stack)
		waits, slow = fmt.Sprintf("task \"waits %d\"", try), fmt.Sprintf("task \"slow %d\"", try)
		launched = append(launched,
			s.Task(waitFor(bg, &e)).Name(fmt.Sprint("waits ", try)).Launch())
		for !strings.Contains(s.Stuck().String(), waits+" waits for") {
			runtime.Gosched()
		}
		launched = append(launched,
			s.Task(taskgraph.Do(func() { stayHere(gate) })).Name(fmt.Sprint("slow ", try)).Launch())
		r, task = next(slow)
	}
	require.GreaterOrEqual(t, task.Age, 5*time.Millisecond)
	require.Contains(t, r.String(), slow+" has been running for")
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() { stayHere(gate) })).Name("of the graph")
	g, err := b.Build()
	require.NoError(t, err)
	run := s.LaunchGraph(g)
	next(`task "of the graph"`)
	calls := s.NewGroup()
	calls.Go(s, func() { stayHere(gate) })
	next("call of a Group")
	idle := s.Task(noop()).Name("after the calls").After(calls.Idle()).Launch()
	require.Contains(t, s.Stuck().String(), `event "a group is idle" waits for calls of the group`)
	for len(reports) > 0 {
		note(<-reports)
	}
	require.Zero(t, reported[waits])
	close(gate)
	e.Trigger()
	require.NoError(t, calls.Wait(bg))
	wait(t, s, idle)
	wait(t, s, append(launched, run)...)
	for {
		mu.Lock()
		text := log.String()
		mu.Unlock()
		if strings.Contains(text, "of the graph") {
			require.Contains(t, text, "level=WARN")
			require.Contains(t, text, strings.ReplaceAll(slow, `"`, `\"`)+" has been running for")
			break
		}
	}
	for len(reports) > 0 {
		note(<-reports)
	}
	for name, times := range reported {
		require.Equal(t, 1, times, name)
	}
}

// A body that has been reported is not reported again, also if it waits in between, by itself or
// with another one on top of it, and then goes on.
func TestWatchdogReportsABodyOnce(t *testing.T) {
	for _, onTop := range []bool{false, true} {
		reports := make(chan *taskgraph.StuckReport, 100)
		s := start(t, taskgraph.Options{Workers: 1, SlowAfter: 5 * time.Millisecond,
			StuckAfter: time.Hour, OnStuck: func(r *taskgraph.StuckReport) { reports <- r }})
		reported := map[string]int{}
		until := func(name string) {
			for reported[name] == 0 {
				for _, task := range (<-reports).Tasks {
					reported[task.Name]++
				}
			}
		}
		told, goesOn, gate := make(chan struct{}), make(chan struct{}), make(chan struct{})
		open := sync.OnceFunc(func() { close(gate) })
		t.Cleanup(open) // so that a test that fails does not hang too
		e := s.NewEvent()
		body := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			<-told
			awaited := e
			if onTop {
				awaited = c.Task(waitFor(bg, &e)).Name("upper").Launch()
			}
			err := c.WaitUntilTasksComplete(bg, awaited)
			close(goesOn)
			<-gate
			return err
		})).Name("body").Launch()
		until(`task "body"`)
		close(told)
		waits := map[bool]string{false: `"body" waits for`, true: `"upper" waits for`}[onTop]
		for !strings.Contains(s.Stuck().String(), waits) {
			runtime.Gosched()
		}
		others := []taskgraph.Event{s.Task(taskgraph.Do(func() { <-gate })).Name("first").Launch()}
		until(`task "first"`) // so there was a look
		e.Trigger()
		<-goesOn
		others = append(others, s.Task(taskgraph.Do(func() { <-gate })).Name("second").Launch())
		until(`task "second"`)
		require.Equal(t, 1, reported[`task "body"`])
		open()
		wait(t, s, append(others, body)...)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

//go:noinline
func stayHere(gate chan struct{}) { <-gate }

func TestSlowAfterMustNotBeNegative(t *testing.T) {
	require.PanicsWithValue(t, "taskgraph: Options.SlowAfter is negative", func() {
		taskgraph.Start(taskgraph.Options{SlowAfter: -1})
	})
}
