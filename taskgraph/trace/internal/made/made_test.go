package made_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/nest"
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
			depth := 0
			var inside []time.Duration
			nest.Walk(&s.Lanes[i], 0, s.To, func(op nest.Op) {
				require.False(t, op.Cut && op.Event.Kind != trace.ParkEnd)
				switch {
				case op.What == nest.Open:
					depth++
					inside = append(inside, 0)
				case op.What == nest.Close:
					depth--
					all := op.At - op.Opened.At
					own := all - inside[depth]
					inside = inside[:depth]
					if k := op.Opened.Kind; k == trace.Begin || k == trace.Range {
						ran += own
					}
					if depth > 0 {
						inside[depth-1] += all
					}
				}
			})
			require.Zero(t, depth)
		}
		require.Equal(t, p.Work(), ran)
		require.GreaterOrEqual(t, s.To, p.Span())
	})
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
