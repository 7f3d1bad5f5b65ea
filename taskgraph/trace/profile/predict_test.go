package profile_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// Graham's bound, on any number of workers: no schedule of a greedy scheduler takes longer than
// work by workers and the span, none is shorter than either, one worker never idles, and without
// number they take as long as the span.
func TestGrahamsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		r := profile.Of(made.Run(&p, rapid.IntRange(1, 4).Draw(t, "recorded")), profile.Options{})
		for _, workers := range []int{1, 2, 3, 5, 8, 128} {
			time, n := r.Free(workers), int64(workers)
			require.GreaterOrEqual(t, time, r.Span)
			require.GreaterOrEqual(t, int64(time)*n, int64(r.Work))
			require.LessOrEqual(t, int64(time)*n, int64(r.Work)+int64(r.Span)*n)
		}
		if r.Blocked == 0 {
			require.Equal(t, r.Work, r.Free(1))
		}
		require.Equal(t, r.Span, r.Free(1000))
		first := r.Predict()
		require.Equal(t, first, r.Predict(), "twice the same")
	})
}

// flat draws tasks that only come after others.
func flat(t *rapid.T) made.Program {
	tasks := make([]made.Task, rapid.IntRange(1, 6).Draw(t, "tasks"))
	for i := range tasks {
		tasks[i] = task(fmt.Sprint("t", i), made.Work(time.Duration(
			rapid.IntRange(1, 9).Draw(t, "work"))))
		for j := range i {
			if rapid.IntRange(0, 2).Draw(t, "after") == 0 {
				tasks[i].After = append(tasks[i].After, j)
			}
		}
	}
	return made.Program{Tasks: tasks}
}

// schedule begins, moment by moment, the first tasks of a list that can begin, as long as workers
// are free.
func schedule(p *made.Program, list []int, workers int) time.Duration {
	ends := make([]time.Duration, len(p.Tasks)) // 0: not begun
	for now, done := time.Duration(0), 0; ; now++ {
		busy := 0
		done = 0
		for _, end := range ends {
			switch {
			case end > now:
				busy++
			case end > 0:
				done++
			}
		}
		if done == len(p.Tasks) {
			return now
		}
		for _, i := range list {
			can := busy < workers && ends[i] == 0
			for _, a := range p.Tasks[i].After {
				can = can && ends[a] > 0 && ends[a] <= now
			}
			if can {
				ends[i] = now + p.Tasks[i].Rounds[0][0].Work
				busy++
			}
		}
	}
}

// permutations calls f with every order of a list.
func permutations(list []int, f func([]int)) {
	var rest func(n int)
	rest = func(n int) {
		if n == len(list) {
			f(list)
			return
		}
		for i := n; i < len(list); i++ {
			list[n], list[i] = list[i], list[n]
			rest(n + 1)
			list[n], list[i] = list[i], list[n]
		}
	}
	rest(0)
}

// A prediction is the time of some list schedule, so none is better than the best of all, and none
// is worse than the worst.
func TestPredictsAListSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := flat(t)
		workers := rapid.IntRange(1, 3).Draw(t, "workers")
		r := profile.Of(made.Run(&p, rapid.IntRange(1, 3).Draw(t, "recorded")), profile.Options{})
		var times []time.Duration
		list := make([]int, len(p.Tasks))
		for i := range list {
			list[i] = i
		}
		permutations(list, func(list []int) { times = append(times, schedule(&p, list, workers)) })
		require.Contains(t, times, r.Free(workers))
		best := slices.Min(times)
		n := int64(workers)
		require.LessOrEqual(t, int64(r.Free(workers))*n, int64(best)*(2*n-1),
			"Graham: at most 2 - 1/p times the best")
	})
}

// A chain of loops with a serial part: the prediction says where it stops to scale, and why.
func TestPredictSaysWhereItEnds(t *testing.T) {
	ranges := slices.Repeat([]time.Duration{10}, 60)
	p := made.Program{Tasks: []made.Task{task("serial", made.Work(40)),
		after(task("loop", made.Loop(ranges...)), 0)}}
	r := profile.Of(made.Run(&p, 2), profile.Options{})
	require.Equal(t, time.Duration(640), r.Work)
	require.Equal(t, time.Duration(50), r.Span)
	got := r.Predict(1, 2, 3, 4, 16, 60, 128)
	var times []time.Duration
	for _, point := range got.Points {
		times = append(times, point.Time)
	}
	require.Equal(t, []time.Duration{640, 340, 240, 190, 80, 50, 50}, times)
	require.Equal(t, 2, got.Scales)
	require.Equal(t, 13, got.SpanBinds)
	require.Equal(t, "serial", r.Path[0].Name)
	require.InDelta(t, 0.8, r.Path[0].Share, 1e-9)
	require.Panics(t, func() { r.Predict(0) })
}

// What is for a thread stays there, however many workers there are, and processors are a limit.
func TestPredictThreadsAndProcessors(t *testing.T) {
	draw := func(n string) made.Task {
		t := task(n, made.Work(10))
		t.Thread = "render"
		return t
	}
	p := made.Program{Tasks: []made.Task{draw("draw"), draw("draw"), draw("draw"),
		task("a", made.Work(10)), task("a", made.Work(10)), task("a", made.Work(10))}}
	r := profile.Of(made.Run(&p, 1), profile.Options{})
	require.Equal(t, time.Duration(10), r.Span)
	require.Equal(t, time.Duration(30), r.Free(1))
	require.Equal(t, time.Duration(30), r.Free(64), "the thread has three of them")
	lower := func(processors, workers int) time.Duration {
		return r.PredictOn(processors, workers).Points[0].Lower
	}
	require.Equal(t, time.Duration(30), lower(0, 1))
	require.Equal(t, time.Duration(30), lower(0, 64), "what the thread has to do")
	require.Equal(t, time.Duration(60), lower(1, 64), "what the processor has to do")
	require.Equal(t, time.Duration(60), r.PredictOn(1, 8).Points[0].Time)
	require.Equal(t, time.Duration(30), r.PredictOn(2, 8).Points[0].Time)
}
