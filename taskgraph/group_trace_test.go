package taskgraph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// A callProgram is bodies and goroutines from outside that make calls.
type callProgram struct {
	bodies, calls int // so many calls each
	outside       int // goroutines, which make as many calls each
}

// run runs the program to its end.
func (p callProgram) run(t *testing.T, sys *taskgraph.System) {
	g := sys.NewGroup()
	var wg sync.WaitGroup
	for range p.outside {
		wg.Go(func() {
			for range p.calls {
				g.Go(sys, calledByGroup)
			}
		})
	}
	var events []taskgraph.Event
	for i := range p.bodies {
		events = append(events, sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			g := sys.NewGroup()
			for range p.calls {
				g.Go(c, takesAWhile)
			}
			return g.Wait(c)
		})).Name(fmt.Sprintf("t%d", i)).Launch())
	}
	wait(t, sys, events...)
	wg.Wait()
	require.NoError(t, g.Wait(context.Background()))
}

func takesAWhile() { atomics.Pause(20) }

// TestTraceOfManyCalls: each call of a group is launched once, by who made it, before it begins,
// wherever bundles and parcels have taken it. It is tried until some have been stolen, which may
// never be with one P.
func TestTraceOfManyCalls(t *testing.T) {
	for again := true; again; {
		p := callProgram{bodies: 8, calls: brief(300, 150), outside: 3}
		rec := trace.New(trace.Options{Exact: true})
		sys := taskgraph.Start(taskgraph.Options{Workers: 3, Trace: rec})
		p.run(t, sys)
		require.NoError(t, sys.Shutdown(context.Background()))
		s := rec.Snapshot()
		p.check(t, s)
		again = stolenCalls(s) == 0 && runtime.GOMAXPROCS(0) > 1
	}
}

// check looks at what is recorded of one run.
func (p callProgram) check(t *testing.T, s *trace.Snapshot) {
	of := judge(t, s)
	made := map[trace.ID]int{}
	launchedOn := launchers(s)
	for _, l := range s.Lanes {
		require.Zero(t, l.Lost)
		for _, e := range l.Events {
			task := s.Tasks[e.Task]
			inside := strings.HasSuffix(task.Name, ".takesAWhile")
			outside := strings.HasSuffix(task.Name, ".calledByGroup")
			if e.Kind != trace.Begin || !inside && !outside {
				continue
			}
			of[e.Task].ordered(t, task.Name)
			require.Equal(t, 1, of[e.Task].launch)
			require.Equal(t, outside, task.Parent == 0, task.Name)
			require.Equal(t, outside, launchedOn[e.Task] == "outside", task.Name)
			made[task.Parent]++
		}
	}
	require.Equal(t, p.outside*p.calls, made[0])
	delete(made, 0)
	require.Len(t, made, p.bodies)
	for id, n := range made {
		require.Equal(t, p.calls, n, "calls of %s", s.Tasks[id].Name)
	}
	r := profile.Of(s, profile.Options{})
	require.Len(t, r.Queued, 1, "all are of one priority")
	require.Equal(t, p.bodies*(p.calls+1)+p.outside*p.calls, r.Queued[0].Count)
}

// launchers returns on which lane each task was launched.
func launchers(s *trace.Snapshot) map[trace.ID]string {
	on := map[trace.ID]string{}
	for _, l := range s.Lanes {
		for _, e := range l.Events {
			if e.Kind == trace.Launch {
				on[e.Task] = l.Name
			}
		}
	}
	return on
}

// stolenCalls returns how many calls of bodies did not begin where they were launched.
func stolenCalls(s *trace.Snapshot) (n int) {
	on := launchers(s)
	for _, l := range s.Lanes {
		for _, e := range l.Events {
			if e.Kind == trace.Begin && strings.HasSuffix(s.Tasks[e.Task].Name, ".takesAWhile") &&
				on[e.Task] != l.Name {
				n++
			}
		}
	}
	return n
}

// TestTraceOfCallsAsJSON reads the arrows as the format is documented: from the launch of each
// call, which is in the slice of the body that made it, to the slice of the call.
func TestTraceOfCallsAsJSON(t *testing.T) {
	p := callProgram{bodies: 2, calls: 70, outside: 1}
	rec := trace.New(trace.Options{})
	sys := start(t, taskgraph.Options{Workers: 2, Trace: rec})
	p.run(t, sys)
	var b bytes.Buffer
	require.NoError(t, export.JSON(&b, rec.Snapshot()))
	var all struct {
		Events []struct {
			Phase string      `json:"ph"`
			TID   int         `json:"tid"`
			Time  json.Number `json:"ts"`
			Name  string      `json:"name"`
			ID    uint64      `json:"id"`
		} `json:"traceEvents"`
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &all))
	open := map[int][]string{}
	from, to := map[uint64]string{}, map[uint64]string{}
	for _, e := range all.Events {
		stack := open[e.TID]
		switch e.Phase {
		case "B":
			open[e.TID] = append(stack, e.Name)
		case "E":
			open[e.TID] = stack[:len(stack)-1]
		case "s": // in a slice without length, whose name says what is launched
			from[e.ID] = strings.Join(stack, " ")
		case "f":
			to[e.ID] = stack[len(stack)-1]
		}
	}
	const call, other = "taskgraph_test.takesAWhile", "taskgraph_test.calledByGroup"
	inside, outside := map[string]int{}, 0
	for id, name := range to {
		switch name {
		case call:
			path := strings.Fields(from[id])
			require.Equal(t, []string{"launch", call}, path[len(path)-2:])
			inside[path[0]]++
		case other:
			require.Equal(t, "launch "+other, from[id])
			outside++
		}
	}
	require.Equal(t, map[string]int{"t0": 70, "t1": 70}, inside)
	require.Equal(t, 70, outside)
}

// TestTraceOfARefusedCall: a call that is made too late was launched, and has failed.
func TestTraceOfARefusedCall(t *testing.T) {
	rec := trace.New(trace.Options{Exact: true})
	sys := taskgraph.Start(taskgraph.Options{Workers: 1, Trace: rec})
	g := sys.NewGroup()
	require.NoError(t, sys.Shutdown(context.Background()))
	g.Go(sys, calledByGroup)
	require.ErrorIs(t, g.Wait(context.Background()), graphevent.ErrClosed)
	s := rec.Snapshot()
	of := judge(t, s)
	refused := 0
	for id, task := range s.Tasks {
		if strings.HasSuffix(task.Name, ".calledByGroup") {
			refused++
			require.Equal(t, 1, of[id].launch)
			require.Zero(t, of[id].begins)
			require.Equal(t, 1, of[id].done)
			require.True(t, of[id].failed)
		}
	}
	require.Equal(t, 1, refused)
}

// TestTraceOfCallsThatStops: a call that was made while nothing was recorded has no launch, and one
// that begins while nothing is recorded no begin.
func TestTraceOfCallsThatStops(t *testing.T) {
	rec := trace.New(trace.Options{Exact: true, Stopped: true})
	sys := startUnwatched(t, taskgraph.Options{Workers: 1, Trace: rec})
	wait(t, sys, sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		g := sys.NewGroup()
		g.Go(c, calledByGroup)
		rec.Start()
		if err := g.Wait(c); err != nil {
			return err
		}
		g.Go(c, takesAWhile)
		rec.Stop()
		return g.Wait(c)
	})).Launch())
	rec.Start()
	s := rec.Snapshot()
	of := judge(t, s)
	for id, task := range s.Tasks {
		switch {
		case strings.HasSuffix(task.Name, ".calledByGroup"):
			require.Equal(t, []int{0, 1}, []int{of[id].launch, of[id].begins})
		case strings.HasSuffix(task.Name, ".takesAWhile"):
			require.Equal(t, []int{1, 0}, []int{of[id].launch, of[id].begins})
		}
	}
}
