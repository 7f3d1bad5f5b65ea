package nest_test

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
	"github.com/heddle-go/heddle/taskgraph/trace/internal/nest"
)

// Whatever the events are, what Walk yields is balanced on each row, in the window and in order;
// rows are those that are free; and each event that was recorded is yielded at most once.
func TestAlwaysBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := made.Garbage(30, func(name string, low, high int) int {
			return rapid.IntRange(low, high).Draw(t, name)
		})
		from, to := nest.Window(s)
		require.LessOrEqual(t, from, to)
		for i := range s.Lanes {
			l := &s.Lanes[i]
			var open [][]trace.Event
			now := from
			recorded := 0
			nest.Walk(l, from, to, func(op nest.Op) {
				require.GreaterOrEqual(t, op.At, now)
				require.LessOrEqual(t, op.At, to)
				now = op.At
				for len(open) <= op.Row {
					open = append(open, nil)
				}
				stack := &open[op.Row]
				switch op.What {
				case nest.Open:
					require.Len(t, *stack, op.Depth)
					*stack = append(*stack, op.Event)
				case nest.Close:
					last := (*stack)[len(*stack)-1]
					*stack = (*stack)[:len(*stack)-1]
					require.Len(t, *stack, op.Depth)
					require.Equal(t, last, op.Opened)
					require.Equal(t, last.Kind+1, op.Event.Kind)
					require.Equal(t, last.Task, op.Event.Task)
				case nest.Point:
					require.Len(t, *stack, op.Depth)
				}
				if !op.Cut {
					recorded++
				}
				if l.Kind != trace.LaneOutside {
					require.Zero(t, op.Row)
				}
			})
			for _, stack := range open {
				require.Empty(t, stack)
			}
			require.LessOrEqual(t, recorded, len(l.Events))
		}
	})
}

func walk(l trace.Lane, from, to time.Duration) (ops []nest.Op) {
	nest.Walk(&l, from, to, func(op nest.Op) { ops = append(ops, op) })
	return ops
}

func event(at time.Duration, k trace.Kind, task trace.ID) trace.Event {
	return trace.Event{At: at, Kind: k, Task: task}
}

// A body that was under way when the window began is around what happens in it, and one whose end
// was lost ends with what it is in.
func TestWhatIsCut(t *testing.T) {
	ops := walk(trace.Lane{Events: []trace.Event{
		event(2, trace.Begin, 2), event(3, trace.Wait, 2), event(5, trace.End, 1),
		event(6, trace.Begin, 3),
	}}, 1, 9)
	type seen struct {
		what nest.What
		at   time.Duration
		kind trace.Kind
		task trace.ID
		cut  bool
	}
	var got []seen
	for _, op := range ops {
		got = append(got, seen{op.What, op.At, op.Event.Kind, op.Event.Task, op.Cut})
	}
	require.Equal(t, []seen{
		{nest.Open, 1, trace.Begin, 1, true},
		{nest.Open, 2, trace.Begin, 2, false},
		{nest.Open, 3, trace.Wait, 2, false},
		{nest.Close, 5, trace.WaitEnd, 2, true},
		{nest.Close, 5, trace.End, 2, true},
		{nest.Close, 5, trace.End, 1, false},
		{nest.Open, 6, trace.Begin, 3, false},
		{nest.Close, 9, trace.End, 3, true},
	}, got)
}

// What only touches the window is in it, however it does.
func TestEdgesOfTheWindow(t *testing.T) {
	ops := walk(trace.Lane{Events: []trace.Event{
		event(2, trace.Begin, 2), event(3, trace.End, 2), event(3, trace.End, 1),
		event(5, trace.Begin, 3), event(6, trace.End, 3), event(6, trace.Begin, 4),
	}}, 3, 5)
	var got []string
	for _, op := range ops {
		got = append(got, fmt.Sprint(op.What == nest.Open, op.At, op.Event.Task, op.Cut))
	}
	require.Equal(t, []string{"true 3ns 1 true", "true 3ns 2 true", "false 3ns 2 false",
		"false 3ns 1 false", "true 5ns 3 false", "false 5ns 3 true"}, got)
}

// On the lane of all goroutines from outside, what overlaps has rows of its own.
func TestRowsOfOutside(t *testing.T) {
	ops := walk(trace.Lane{Kind: trace.LaneOutside, Events: []trace.Event{
		event(0, trace.Begin, 1), event(1, trace.Begin, 2), event(2, trace.End, 1),
		event(3, trace.Begin, 3), event(4, trace.End, 3), event(5, trace.End, 2),
	}}, 0, 5)
	var rows []int
	for _, op := range ops {
		require.False(t, op.Cut)
		rows = append(rows, op.Row)
	}
	require.Equal(t, []int{0, 1, 0, 0, 0, 1}, rows)
}
