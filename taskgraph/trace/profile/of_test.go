package profile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
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

// What is launched when nothing is going on comes after all before it: the span of frames is the
// sum of theirs, and the time between them is no active time.
func TestPhases(t *testing.T) {
	s := repeated(1)
	one := profile.Of(s, profile.Options{})
	require.Equal(t, 1, one.Phases)
	require.Equal(t, s.To-1, one.Active)
	s = repeated(5_000)
	frames := len(s.Tasks) / len(repeated(1).Tasks)
	require.Greater(t, frames, 50)
	many := profile.Of(s, profile.Options{})
	require.Equal(t, frames, many.Phases)
	require.Equal(t, time.Duration(frames)*one.Work, many.Work)
	require.Equal(t, time.Duration(frames)*one.Span, many.Span)
	require.Equal(t, time.Duration(frames)*one.Active, many.Active)
}

// A wait outside of bodies is a reason for what its lane launches later, though other tasks are
// under way.
func TestWaitsOutside(t *testing.T) {
	at := func(at time.Duration, k trace.Kind, task, other trace.ID) trace.Event {
		return trace.Event{At: at, Kind: k, Task: task, Other: other}
	}
	s := &trace.Snapshot{To: 20, Tasks: map[trace.ID]trace.Task{}, Lanes: []trace.Lane{
		{Kind: trace.LaneWorker, Events: []trace.Event{at(0, trace.Begin, 1, 0),
			at(5, trace.End, 1, 0), at(6, trace.Begin, 2, 0), at(10, trace.End, 2, 0)}},
		{Kind: trace.LaneWorker, Events: []trace.Event{at(0, trace.Begin, 3, 0),
			at(8, trace.End, 3, 0)}},
		{Kind: trace.LaneOutside, Events: []trace.Event{at(0, trace.Launch, 1, 0),
			at(0, trace.Launch, 3, 0), at(0, trace.Wait, 0, 1), at(5, trace.WaitEnd, 0, 1),
			at(5, trace.Launch, 2, 0)}},
	}}
	r := profile.Of(s, profile.Options{})
	require.Equal(t, time.Duration(9), r.Span)
	require.Equal(t, 1, r.Phases)
}

// A report of a run has its tasks and what they launch, and no others.
func TestOneRun(t *testing.T) {
	p := made.Program{Tasks: []made.Task{
		{Name: "run", Graph: "g"},
		{Name: "a", Graph: "g", Run: 1, Rounds: made.Steps(made.Work(3), made.Launch(3))},
		{Name: "b", Graph: "g", Run: 1, After: []int{1}, Rounds: made.Steps(made.Work(4))},
		task("child", made.Work(9)),
		task("stranger", made.Work(50)),
	}}
	r := profile.Of(made.Run(&p, 3), profile.Options{Run: made.ID(0)})
	require.Equal(t, time.Duration(16), r.Work)
	require.Equal(t, time.Duration(12), r.Span)
	require.Len(t, r.Tasks, 4)
	others := time.Duration(0)
	for _, l := range r.Lanes {
		others += l.Others
	}
	require.Equal(t, time.Duration(12), others, "as long as the run takes")
	_, known := r.Task(made.ID(4))
	require.False(t, known)
}

// Lanes say why they did nothing, and tasks how long they were queued.
func TestIdleAndQueued(t *testing.T) {
	at := func(at time.Duration, k trace.Kind, task trace.ID, arg uint64) trace.Event {
		return trace.Event{At: at, Kind: k, Task: task, Arg: arg}
	}
	s := &trace.Snapshot{To: 100,
		Tasks: map[trace.ID]trace.Task{1: {Priority: "high"}, 2: {Priority: "high"}},
		Lanes: []trace.Lane{
			{Kind: trace.LaneWorker, Events: []trace.Event{at(10, trace.Launch, 1, 0),
				at(10, trace.Ready, 1, 0), at(15, trace.Begin, 1, 0), at(20, trace.Launch, 2, 0),
				at(20, trace.Ready, 2, 0), at(60, trace.Wait, 1, 0), at(80, trace.WaitEnd, 1, 0),
				at(90, trace.Blocked, 1, 0),
				at(95, trace.BlockedEnd, 1, 0), at(100, trace.End, 1, 0)}},
			{Kind: trace.LaneWorker, Events: []trace.Event{at(5, trace.Park, 0, 0),
				at(30, trace.Wake, 0, 0), at(42, trace.ParkEnd, 0, 0),
				at(45, trace.Begin, 2, 0), at(75, trace.End, 2, 0)}},
		}}
	r := profile.Of(s, profile.Options{})
	require.Equal(t, profile.Idle{NothingReady: 10, Searching: 5, Waiting: 20, Blocked: 5},
		r.Lanes[0].Idle)
	require.Equal(t, time.Duration(60), r.Lanes[0].Busy)
	require.Equal(t, profile.Idle{NothingReady: 5 + 10 + 25, NotWoken: 15, Waking: 12,
		Searching: 3}, r.Lanes[1].Idle)
	require.Equal(t, []profile.Delay{{Priority: "high", Count: 2, P50: 5, P99: 25, Max: 25}},
		r.Queued)
	require.Equal(t, profile.Costs{Start: 5}, r.Costs, "the median")
	require.Equal(t, time.Duration(5+5+5), r.Stalled, "before the first body, in its wait, blocked")
}

// What waits for an event comes after the moment at which a body triggered it, and not after the
// body; what a body launches from Context.Blocking, after the moment of the launch.
func TestMomentsInABody(t *testing.T) {
	at := func(at time.Duration, k trace.Kind, task, other trace.ID) trace.Event {
		return trace.Event{At: at, Kind: k, Task: task, Other: other}
	}
	body := func(inside ...trace.Event) *trace.Snapshot {
		events := append([]trace.Event{at(0, trace.Begin, 1, 0)}, inside...)
		return &trace.Snapshot{To: 40,
			Tasks: map[trace.ID]trace.Task{3: {After: []trace.ID{2}}},
			Lanes: []trace.Lane{{Kind: trace.LaneWorker, Events: append(events,
				at(20, trace.End, 1, 0), at(20, trace.Begin, 3, 0), at(35, trace.End, 3, 0))}}}
	}
	r := profile.Of(body(at(8, trace.Done, 2, 0)), profile.Options{})
	require.Equal(t, time.Duration(8+15), r.Span)
	u, _ := r.Task(1)
	require.Zero(t, u.Slack)
	r = profile.Of(body(at(4, trace.Blocked, 1, 0), at(8, trace.Launch, 3, 1),
		at(10, trace.BlockedEnd, 1, 0)), profile.Options{})
	require.Equal(t, time.Duration(8+15), r.Span)
	require.Equal(t, time.Duration(6), r.Blocked)
}

// What comes after a run comes after its tasks, and a task or a round after what made it ready,
// though nothing else says so.
func TestRunsAndReadies(t *testing.T) {
	at := func(at time.Duration, k trace.Kind, task, other trace.ID) trace.Event {
		return trace.Event{At: at, Kind: k, Task: task, Other: other}
	}
	worker := func(events ...trace.Event) trace.Lane { return trace.Lane{Events: events} }
	span := func(tasks map[trace.ID]trace.Task, lanes ...trace.Lane) time.Duration {
		return profile.Of(&trace.Snapshot{To: 20, Tasks: tasks, Lanes: lanes},
			profile.Options{}).Span
	}
	require.Equal(t, time.Duration(9), span(
		map[trace.ID]trace.Task{2: {Run: 1}, 3: {After: []trace.ID{1}}},
		worker(at(0, trace.Begin, 2, 0), at(5, trace.End, 2, 0), at(5, trace.Done, 1, 0),
			at(5, trace.Begin, 3, 0), at(9, trace.End, 3, 0))))
	require.Equal(t, time.Duration(9), span(nil,
		worker(at(0, trace.Begin, 1, 0), at(5, trace.End, 1, 0), at(5, trace.Ready, 2, 1),
			at(5, trace.Begin, 2, 0), at(9, trace.End, 2, 0))))
	require.Equal(t, time.Duration(9), span(map[trace.ID]trace.Task{2: {Run: 1}},
		worker(at(0, trace.Begin, 3, 0), at(5, trace.End, 3, 0), at(5, trace.Ready, 1, 3),
			at(5, trace.Begin, 2, 0), at(9, trace.End, 2, 0))), "a run that was made ready")
	require.Equal(t, time.Duration(7), span(nil,
		worker(at(0, trace.Begin, 1, 0), at(2, trace.End, 1, 0), at(5, trace.Begin, 1, 0),
			at(7, trace.End, 1, 0)),
		worker(at(0, trace.Begin, 2, 0), at(5, trace.End, 2, 0), at(5, trace.Ready, 1, 2))))
}

// A wait for all is for what ranges of the body have launched too, and not for a task that
// something held open beyond it.
func TestWhatAWaitIsFor(t *testing.T) {
	at := func(at time.Duration, k trace.Kind, task, other trace.ID) trace.Event {
		return trace.Event{At: at, Kind: k, Task: task, Other: other}
	}
	worker := func(events ...trace.Event) trace.Lane { return trace.Lane{Events: events} }
	span := func(lanes ...trace.Lane) time.Duration {
		return profile.Of(&trace.Snapshot{To: 20, Lanes: lanes}, profile.Options{}).Span
	}
	require.Equal(t, time.Duration(14), span(
		worker(at(0, trace.Begin, 1, 0), at(0, trace.Range, 1, 0), at(2, trace.Launch, 2, 1),
			at(5, trace.RangeEnd, 1, 0), at(5, trace.Wait, 1, 0), at(12, trace.WaitEnd, 1, 0),
			at(14, trace.End, 1, 0)),
		worker(at(2, trace.Begin, 2, 0), at(12, trace.End, 2, 0))))
	require.Equal(t, time.Duration(10), span(
		worker(at(0, trace.Begin, 1, 0), at(0, trace.Launch, 2, 1), at(2, trace.Wait, 1, 0),
			at(4, trace.WaitEnd, 1, 0), at(6, trace.End, 1, 0)),
		worker(at(0, trace.Begin, 2, 0), at(3, trace.End, 2, 0), at(3, trace.Hold, 2, 3)),
		worker(at(0, trace.Begin, 3, 0), at(10, trace.End, 3, 0), at(10, trace.Done, 3, 0),
			at(10, trace.Done, 2, 0))))
}
