package profile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// computes returns the steps of a task that take time, as places whose time can be changed.
func computes(t *made.Task) (all []*time.Duration) {
	for _, steps := range t.Rounds {
		for i := range steps {
			if steps[i].Work > 0 {
				all = append(all, &steps[i].Work)
			}
			for r := range steps[i].Loop {
				all = append(all, &steps[i].Loop[r])
			}
		}
	}
	return all
}

// A task with slack s may take s longer, wherever in its bodies, and the span stays as it is; with
// more, there is a place where it grows. A task that takes d less shortens the span by at most d,
// and not at all if it has slack.
func TestSlack(t *testing.T) {
	grew := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		r := profile.Of(made.Run(&p, rapid.IntRange(1, 4).Draw(t, "workers")), profile.Options{})
		task := rapid.IntRange(0, len(p.Tasks)-1).Draw(t, "task")
		places := computes(&p.Tasks[task])
		if len(places) == 0 {
			return
		}
		use, known := r.Task(made.ID(task))
		require.True(t, known)
		require.Equal(t, use.Slack == 0, use.Critical)

		place := places[rapid.IntRange(0, len(places)-1).Draw(t, "place")]
		*place += use.Slack
		require.Equal(t, r.Span, p.Span(), "slower by its slack")
		*place -= use.Slack

		longest := r.Span
		for _, place := range places {
			*place += use.Slack + 1
			longest = max(longest, p.Span())
			*place -= use.Slack + 1
		}
		if longest > r.Span {
			grew++
		}

		less := min(time.Duration(rapid.IntRange(1, 9).Draw(t, "less")), *place)
		*place -= less
		require.LessOrEqual(t, p.Span(), r.Span)
		require.GreaterOrEqual(t, p.Span(), r.Span-less)
		if !use.Critical {
			require.Equal(t, r.Span, p.Span(), "a task with slack is faster")
		}
	})
	require.Positive(t, grew, "no task made the span longer")
}

// What a name gains is what the span is shorter by if its tasks take no time.
func TestGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		r := profile.Of(made.Run(&p, 2), profile.Options{})
		for _, n := range r.Names {
			q := made.Program{Tasks: append([]made.Task(nil), p.Tasks...)}
			for i := range q.Tasks {
				if q.Tasks[i].Name == n.Name {
					q.Tasks[i].Rounds = idle(q.Tasks[i].Rounds)
				}
			}
			require.Equal(t, r.Span-q.Span(), n.Gain)
			require.LessOrEqual(t, n.Gain, n.Total+r.Blocked)
			if n.OnPath > 0 {
				require.Zero(t, n.Slack, n.Name)
			} else {
				require.Zero(t, n.Gain, n.Name)
			}
		}
	})
}

// idle returns bodies that do the same in no time.
func idle(rounds [][]made.Step) (all [][]made.Step) {
	for _, steps := range rounds {
		var rest []made.Step
		for _, s := range steps {
			if s.Launch > 0 || s.Wait > 0 || s.All {
				rest = append(rest, s)
			}
		}
		all = append(all, rest)
	}
	return all
}

// The longest path is that which is found by walking them all.
func TestLongestPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		r := profile.Of(made.Run(&p, 3), profile.Options{})
		if r.Paths() > 100_000 {
			return
		}
		require.Equal(t, r.LongestOfAll(), r.Span)
		sum := time.Duration(0)
		for _, s := range r.Path {
			sum += s.Time
		}
		require.Equal(t, r.Span, sum, "the path is as long as the span")
	})
}
