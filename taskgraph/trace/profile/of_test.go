package profile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

func task(name string, steps ...made.Step) made.Task {
	return made.Task{Name: name, Rounds: made.Steps(steps...)}
}

func after(t made.Task, before ...int) made.Task {
	t.After = before
	return t
}

// Programs whose span is known by hand.
func TestKnownSpans(t *testing.T) {
	w, launch, wait := made.Work, made.Launch, made.Wait
	tests := []struct {
		name       string
		tasks      []made.Task
		work, span time.Duration
		path       []string
	}{
		{"nothing", nil, 0, 0, nil},
		{"chain", []made.Task{task("a", w(3)), after(task("b", w(4)), 0),
			after(task("c", w(5)), 1)}, 12, 12, []string{"a", "b", "c"}},
		{"fan", []made.Task{task("a", w(1)), after(task("b", w(4)), 0), after(task("c", w(6)), 0),
			after(task("d", w(2)), 0)}, 13, 7, []string{"a", "c"}},
		{"diamond", []made.Task{task("a", w(1)), after(task("b", w(4)), 0),
			after(task("c", w(6)), 0), after(task("d", w(2)), 1, 2)},
			13, 9, []string{"a", "c", "d"}},
		{"event", []made.Task{task("a", w(1)), {Name: "e", After: []int{0}},
			after(task("b", w(2)), 1)}, 3, 3, []string{"a", "b"}},
		{"fork and join", []made.Task{
			task("a", w(1), launch(1), launch(2), w(2), made.WaitAll(), w(1)),
			task("b", w(1), launch(3), w(7), wait(3)), task("c", w(5)), task("d", w(4))},
			21, 10, []string{"a", "b", "a"}},
		{"child after its launch point", []made.Task{task("a", w(5), launch(1), w(1)),
			task("b", w(3))}, 9, 8, []string{"a", "b"}},
		{"wait for one of two", []made.Task{
			task("a", launch(1), launch(2), wait(1), w(3)), task("b", w(2)), task("c", w(1))},
			6, 5, []string{"b", "a"}},
		{"pipeline", []made.Task{task("read", w(1)), after(task("parse", w(3)), 0),
			after(task("read", w(1)), 0), after(task("parse", w(3)), 1, 2),
			after(task("read", w(1)), 2), after(task("parse", w(3)), 3, 4)},
			12, 10, []string{"read", "parse", "parse", "parse"}},
		{"rounds", []made.Task{{Name: "a", Rounds: [][]made.Step{{w(2)}, {w(3)}}},
			after(task("b", w(1)), 0)}, 6, 6, []string{"a", "b"}},
		{"loop", []made.Task{task("a", w(1), made.Loop(3, 5, 2), w(2))}, 13, 8, []string{"a"}},
		{"two loops", []made.Task{task("a", made.Loop(3, 3), made.Loop(4, 4), w(2))},
			16, 9, []string{"a"}},
		{"hold", []made.Task{{Name: "a", Rounds: made.Steps(launch(1), w(1)), Holds: []int{1}},
			task("b", w(6)), after(task("c", w(1)), 0)}, 8, 7, []string{"b", "c"}},
		{"blocked", []made.Task{task("a", w(1), made.Block(7), w(1)), task("b", w(3))},
			5, 9, []string{"a"}},
		{"failed", []made.Task{{Name: "a", Rounds: made.Steps(w(2)), Failed: true},
			{Name: "skipped", After: []int{0}, Failed: true}, task("b", w(1))},
			3, 2, []string{"a"}},
		{"cancelled", []made.Task{{Name: "a", Failed: true}}, 0, 0, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := made.Program{Tasks: test.tasks}
			require.Equal(t, test.span, p.Span(), "the program is not what the test thinks")
			for _, workers := range []int{1, 2, 3, 8} {
				r := profile.Of(made.Run(&p, workers), profile.Options{})
				require.Equal(t, test.work, r.Work, "%d workers", workers)
				require.Equal(t, test.span, r.Span, "%d workers", workers)
				var path []string
				sum := time.Duration(0)
				for _, s := range r.Path {
					path = append(path, s.Name)
					sum += s.Time
				}
				require.Equal(t, test.path, path, "%d workers", workers)
				require.Equal(t, r.Span, sum)
				require.Zero(t, r.Missing)
			}
		})
	}
}

func drawn(t *rapid.T) made.Program {
	return made.Draw(rapid.IntRange(1, 14).Draw(t, "most"), func(name string, low, high int) int {
		return rapid.IntRange(low, high).Draw(t, name)
	})
}

// The report of a run on any number of workers has the work and the span of the program, which
// package made finds by the program and not by the trace.
func TestWorkAndSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		workers := rapid.IntRange(1, 6).Draw(t, "workers")
		s := made.Run(&p, workers)
		r := profile.Of(s, profile.Options{})
		require.Equal(t, p.Work(), r.Work)
		require.Equal(t, p.Span(), r.Span)
		require.Zero(t, r.Missing)

		require.LessOrEqual(t, r.Span, s.To)
		require.LessOrEqual(t, r.Work, time.Duration(workers)*s.To)
		require.LessOrEqual(t, r.Span, r.Work+r.Blocked)
		idle := time.Duration(0)
		for _, l := range r.Lanes {
			idle += l.Idle.Sum()
		}
		require.LessOrEqual(t, s.To, r.Work+idle)
	})
}

// Whatever the records are, a report is made, and what it says fits together.
func TestGarbage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := made.Garbage(40, func(name string, low, high int) int {
			return rapid.IntRange(low, high).Draw(t, name)
		})
		for run := range trace.ID(3) {
			r := profile.Of(s, profile.Options{Run: run})
			sum := time.Duration(0)
			for _, step := range r.Path {
				require.Positive(t, step.Time)
				sum += step.Time
			}
			require.Equal(t, r.Span, sum)
			require.LessOrEqual(t, r.Span, r.Work+r.Blocked)
			require.LessOrEqual(t, r.Active, r.To-r.From)
			total := time.Duration(0)
			for i, l := range r.Lanes {
				if l.Kind != trace.LaneOutside {
					require.Equal(t, r.To-r.From, l.Busy+l.Others+l.Idle.Sum(), "lane %d", i)
				}
			}
			for _, n := range r.Names {
				total += n.Total
				require.LessOrEqual(t, n.P50, n.P99)
				require.LessOrEqual(t, n.P99, n.Max)
				require.LessOrEqual(t, n.Gain, r.Span)
			}
			require.LessOrEqual(t, total, r.Work)
			for _, u := range r.Tasks {
				require.GreaterOrEqual(t, u.Slack, time.Duration(0))
			}
			for _, point := range r.Predict().Points {
				require.GreaterOrEqual(t, point.Time, r.Span)
			}
		}
	})
}

// Bodies that run at the same time on fewer processors share them evenly.
func TestProcessorsAreShared(t *testing.T) {
	p := made.Program{Tasks: []made.Task{task("a", made.Work(720)), task("b", made.Work(360)),
		task("c", made.Block(240), made.Work(480))}}
	s := made.Run(&p, 3)
	r := profile.Of(s, profile.Options{Processors: 1})
	// Two run up to 240, then three up to 360, and then two.
	want := map[trace.ID]time.Duration{1: 120 + 40 + 180, 2: 120 + 40, 3: 40 + 180}
	for id, want := range want {
		u, ok := r.Task(id)
		require.True(t, ok)
		require.InDelta(t, want, u.Time, 2, "task %d", id)
	}
	require.InDelta(t, 720, r.Work, 6)
	require.Equal(t, time.Duration(240), r.Blocked)
	for _, processors := range []int{0, 3, 8} {
		r := profile.Of(s, profile.Options{Processors: processors})
		require.Equal(t, p.Work(), r.Work)
		require.Equal(t, p.Span(), r.Span)
	}
}
