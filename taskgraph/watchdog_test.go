package taskgraph_test

import (
	"bytes"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// The watchdog reports once that an idle system is stuck, again when something else is, and not at all
// what nobody waits for.
func TestWatchdogReportsWhatIsStuck(t *testing.T) {
	reports := make(chan string, 100)
	s := start(t, taskgraph.Options{Workers: 1, StuckAfter: 2 * time.Millisecond,
		OnStuck: func(r *taskgraph.StuckReport) { reports <- r.String() }})
	lonely := s.NewEvent() // nobody waits for it: no report
	a := s.Name(s.NewEvent(), "a")
	first := s.Task(noop()).Name("first").After(a).Launch()
	require.Contains(t, <-reports, `task "first" waits for event "a": nobody has triggered it`)
	b := s.Name(s.NewEvent(), "b")
	second := s.Task(noop()).Name("second").After(b).Launch()
	require.Contains(t, <-reports, `task "second" waits for event "b": nobody has triggered it`)
	a.Trigger()
	b.Trigger()
	wait(t, s, first, second)
	held := s.Task(noop()).Name("held")
	for text := range reports { // the second may be reported once more, alone
		if strings.Contains(text, "never launched") {
			break
		}
	}
	wait(t, s, held.Launch())
	lonely.Trigger()
	require.Empty(t, reports)
}

// A body that runs for too long is reported once, with its age and where it is; one that waits through
// its Context is not.
func TestWatchdogReportsBodiesThatRunForTooLong(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	reports := make(chan *taskgraph.StuckReport, 100)
	s := start(t, taskgraph.Options{Workers: 2, SlowAfter: 5 * time.Millisecond, StuckAfter: time.Hour,
		OnStuck: func(r *taskgraph.StuckReport) { reports <- r },
		Logger:  slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return log.Write(p) }), nil))})
	gate := make(chan struct{})
	e := s.NewEvent()
	waits := s.Task(waitFor(bg, &e)).Name("waits").Launch()
	for !strings.Contains(s.Stuck().String(), `task "waits" waits for`) {
		runtime.Gosched()
	}
	for len(reports) > 0 {
		<-reports // on a busy machine it takes long to come to its wait
	}
	known := map[string]bool{`task "waits"`: true}
	next := func(name string) (*taskgraph.StuckReport, taskgraph.StuckTask) {
		for {
			r := <-reports
			for _, task := range r.Tasks { // other bodies may be slow there, too
				require.False(t, known[task.Name], "%s waits, or is reported twice", task.Name)
				if task.Name == name {
					known[name] = true
					return r, task
				}
			}
		}
	}
	slow := s.Task(taskgraph.Do(func() { stayHere(gate) })).Name("slow").Launch()
	r, task := next(`task "slow"`)
	require.GreaterOrEqual(t, task.Age, 5*time.Millisecond)
	require.Contains(t, task.Stack, "taskgraph_test.stayHere")
	require.Contains(t, r.String(), `task "slow" has been running for`)
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
	close(gate)
	e.Trigger()
	require.NoError(t, calls.Wait(bg))
	wait(t, s, idle)
	wait(t, s, waits, slow, run)
	for {
		mu.Lock()
		text := log.String()
		mu.Unlock()
		if strings.Contains(text, "of the graph") {
			require.Contains(t, text, "level=WARN")
			require.Contains(t, text, `task \"slow\" has been running for`)
			break
		}
	}
	delete(known, `task "waits"`) // which ran again
	for len(reports) > 0 {
		for _, task := range (<-reports).Tasks {
			require.False(t, known[task.Name], "%s is reported twice", task.Name)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

//go:noinline
func stayHere(gate chan struct{}) { <-gate }

func TestSlowAfterMustNotBeNegative(t *testing.T) {
	require.PanicsWithValue(t, "taskgraph: Options.SlowAfter is negative", func() { taskgraph.Start(taskgraph.Options{SlowAfter: -1}) })
}
