package made_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
)

// What is noted is balanced on each lane, has the work of the program, and takes no longer than one
// worker would and no less than workers without number.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := made.Draw(12, func(name string, low, high int) int {
			return rapid.IntRange(low, high).Draw(t, name)
		})
		workers := rapid.IntRange(1, 5).Draw(t, "workers")
		s := made.Run(&p, workers)
		var ran time.Duration
		for i := range s.Lanes {
			ran += computed(t, s.Lanes[i].Events)
		}
		require.Equal(t, p.Work(), ran)
		require.GreaterOrEqual(t, s.To, p.Span())
	})
}

// computed returns how long the bodies and ranges of a lane took, without what ran inside of their
// waits. Whatever begins on a lane has to end on it, but a sleep.
func computed(t require.TestingT, events []trace.Event) (sum time.Duration) {
	var open []trace.Event
	last := time.Duration(0)
	for _, e := range events {
		if n := len(open); n > 0 {
			if k := open[n-1].Kind; k == trace.Begin || k == trace.Range {
				sum += e.At - last
			}
		}
		last = e.At
		switch e.Kind {
		case trace.Begin, trace.Wait, trace.Range, trace.Park, trace.Blocked:
			open = append(open, e)
		case trace.End, trace.WaitEnd, trace.RangeEnd, trace.ParkEnd, trace.BlockedEnd:
			require.NotEmpty(t, open)
			begin := open[len(open)-1]
			require.Equal(t, begin.Kind+1, e.Kind)
			require.Equal(t, begin.Task, e.Task)
			open = open[:len(open)-1]
		}
	}
	for _, e := range open {
		require.Equal(t, trace.Park, e.Kind)
	}
	return sum
}

func TestKnownPrograms(t *testing.T) {
	tests := []struct {
		name       string
		p          made.Program
		work, span time.Duration
		two        time.Duration
	}{
		{"fork and join", made.Program{Tasks: []made.Task{
			{Rounds: made.Steps(made.Work(1), made.Launch(1), made.Work(3), made.Wait(1),
				made.Work(1))},
			{Rounds: made.Steps(made.Work(5))},
		}}, 10, 7, 7},
		{"loop", made.Program{Tasks: []made.Task{
			{Rounds: made.Steps(made.Work(1), made.Loop(4, 4, 4), made.Work(1))},
		}}, 14, 6, 10},
		{"hold", made.Program{Tasks: []made.Task{
			{Rounds: made.Steps(made.Launch(1), made.Work(1)), Holds: []int{1}},
			{Rounds: made.Steps(made.Work(5))},
			{Rounds: made.Steps(made.Work(1)), After: []int{0}},
		}}, 7, 6, 6},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.work, test.p.Work())
			require.Equal(t, test.span, test.p.Span())
			require.Equal(t, test.two, made.Run(&test.p, 2).To)
			require.Equal(t, test.work, made.Run(&test.p, 1).To)
		})
	}
}

// A thread begins nothing inside of a wait but what the wait is for, and what a body launches names
// the body's task.
func TestThreadWaits(t *testing.T) {
	s := made.Run(&made.Program{Tasks: []made.Task{
		{Thread: "main", Rounds: made.Steps(made.Launch(1), made.Launch(3), made.Launch(2),
			made.Wait(2), made.Work(1))},
		{Thread: "main", Rounds: made.Steps(made.Work(5))},
		{Thread: "main", Rounds: made.Steps(made.Work(3)), After: []int{3}},
		{Rounds: made.Steps(made.Work(9))},
	}}, 1)
	var got []string
	for _, l := range s.Lanes {
		for _, e := range l.Events {
			switch {
			case l.Kind == trace.LaneThread && (e.Kind == trace.Begin || e.Kind == trace.End):
				got = append(got, fmt.Sprint(e.Kind == trace.Begin, e.Task-made.ID(0)))
			case e.Kind == trace.Launch && e.Task == made.ID(0):
				require.Zero(t, e.Other)
			case e.Kind == trace.Launch:
				require.Equal(t, made.ID(0), e.Other)
			}
		}
	}
	require.Equal(t, []string{"true 0", "true 2", "false 2", "false 0", "true 1", "false 1"}, got)
}
