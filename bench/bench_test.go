package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// tinySizes are those of the tests.
var tinySizes = sizes{part: 1000, turn: 100 * time.Microsecond, frames: 3, wakes: 2,
	idle: 20 * time.Millisecond, metgTop: 5 * time.Microsecond}

// tiny is all that there is, very small.
var tiny = bench{tinySizes, tinySizes, workloads, costRows}

// The names of the workloads are part of what users and documents rely on.
func TestNamesOfWorkloads(t *testing.T) {
	require.Equal(t, strings.Fields(`spawn-inside spawn-outside fib
		chain-rerun chain-build tree-rerun tree-build wavefront-rerun wavefront-build dag-rerun dag-build
		parfor-1e3 parfor-1e7 wake-drowsing wake-sleeping goroutine-start
		ring-same ring-1p1c ring-2p2c ring-4p4c queue-same queue-1p1c queue-2p2c queue-4p4c
		deque-pushpop deque-steal metg-stencil_1d metg-fft metg-tree metg-random_nearest
		thread-post thread-waiting thread-busy frame nqueens skynet matmul mergesort
		frame-quarry frame-crowd frame-mixed costs`),
		slices.DeleteFunc(everything.workloadNames(), func(name string) bool {
			return strings.HasPrefix(name, "loop-") || strings.HasPrefix(name, "step-") ||
				strings.HasPrefix(name, "program-") || strings.HasPrefix(name, "beside-")
		}))
	for _, runtime := range strings.Fields(
		`heddle heddle-tasks goroutines counters channel-workers errgroup conc
		ants pond gopool go-taskflow xsync onetbb openmp moodycamel moodycamel-tokens`) {
		require.Contains(t, everything.runtimeNames(), runtime)
	}
}

// Every workload has a row of Heddle, which the ratios are to, and no runtime twice.
func TestEveryWorkloadHasItsReference(t *testing.T) {
	for _, w := range workloads(tinySizes) {
		seen := map[string]bool{}
		for _, r := range w.rows {
			require.False(t, seen[r.runtime], "%s %s", w.name, r.runtime)
			seen[r.runtime] = true
		}
		require.True(t, seen[heddle], w.name)
		require.Positive(t, w.n, w.name)
		require.True(t, strings.HasPrefix(w.unit, "ns"), "%s: %s", w.name, w.unit)
	}
}

// Sizes shrink to about a tenth in a quick run, and those whose size is their point not at all.
func TestQuickIsATenth(t *testing.T) {
	quick := workloads(quickSizes)
	for i, w := range workloads(fullSizes) {
		if w.hasSteps() || w.family == besideFamily {
			continue // likewise
		}
		switch w.name {
		case "parfor-1e3", "metg-stencil_1d", "metg-fft", "metg-tree", "metg-random_nearest":
			// theirs are what they are about
		default:
			ratio := float64(w.n) / float64(quick[i].n)
			require.GreaterOrEqual(t, ratio, 8.0, w.name)
			require.LessOrEqual(t, ratio, 50.0, w.name) // frames, and sizes that go by steps
		}
	}
}

// TestEveryRowRuns gives every row a very short turn. Only what needs a compiler, a library
// or another system may be absent.
func TestEveryRowRuns(t *testing.T) {
	s, err := newSession(tinySizes, &options{pairs: 1, workers: []int{1, 3}, cpp: cppAuto})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.close()) }()
	require.NoError(t, s.cpp.buildAll(t.Context()))
	_, err = exec.LookPath(s.cpp.compiler)
	compiler := err == nil

	var rep report
	for _, w := range workloads(tinySizes) {
		start := time.Now()
		entries, err := s.race(context.Background(), w)
		require.NoError(t, err)
		t.Logf("%s: %v", w.name, time.Since(start).Round(time.Millisecond))
		for _, e := range entries {
			where := w.name + " " + e.row.runtime
			if isAbsent(e.err) {
				t.Logf("%s is absent: %v", where, e.err)
				require.True(t, e.row.lang == langCPP || !hasFutex || e.row.runtime == "lscq",
					where)
				require.False(t, compiler &&
					strings.HasPrefix(e.err.Error(), "it does not compile"), "%s: %v", where, e.err)
				continue
			}
			require.NoError(t, e.err, "%s, %d workers", where, e.workers)
			require.Len(t, e.figures, 1, where)
			for _, v := range append(e.samples, e.figures...) {
				require.False(t, math.IsNaN(v) || math.IsInf(v, 0) || v < 0, "%s: %v", where, v)
			}
		}
		rep.sections = append(rep.sections, sectionOf(w, entries))
	}
	rep.costs, err = s.weigh(context.Background(), costRows())
	require.NoError(t, err)
	for _, c := range rep.costs {
		if !isAbsent(c.err) {
			require.NoError(t, c.err, c.Runtime)
			require.True(t, c.Memory != nil || c.CPU != nil, c.Runtime)
		}
	}
	require.False(t, rep.heddleFailed())
	var out bytes.Buffer
	rep.print(&out)
	for _, sec := range rep.sections {
		require.Contains(t, out.String(), "\n"+sec.work.name+": ")
	}
	for _, r := range rep.records() {
		if r.Runtime == heddle {
			require.Equal(t, 1.0, *r.Ratio, r.Workload)
		}
	}
}

func TestMedian(t *testing.T) {
	require.Equal(t, 3.0, median([]float64{9, 1, 3}))
	require.Equal(t, 2.5, median([]float64{9, 1, 3, 2}))
	require.Equal(t, 7.0, median([]float64{7}))
	require.True(t, math.IsNaN(median(nil)))
	require.Equal(t, 2.0, mean([]float64{1, 3}))
	require.True(t, math.IsNaN(mean(nil)))
}

func TestQuantile(t *testing.T) {
	var samples []float64
	for v := 100; v >= 1; v-- {
		samples = append(samples, float64(v))
	}
	slices.Sort(samples)
	require.Equal(t, 50.0, quantileSorted(samples, 0.5))
	require.Equal(t, 90.0, quantileSorted(samples, 0.9))
	require.Equal(t, 99.0, quantileSorted(samples, 0.99))
	require.Equal(t, 1.0, quantileSorted(samples, 0))
	require.Equal(t, 100.0, quantileSorted(samples, 1))
	require.Equal(t, 5.0, quantileSorted([]float64{5}, 0.9))
}

// logged is a workload whose rows note their turns and take a time each.
func logged(log *[]string, runtimes ...string) *workload {
	w := &workload{name: "w", title: "turns", unit: "ns", n: 1}
	for i, name := range runtimes {
		w.rows = append(w.rows, goRow(name, func(*session, int) (reading, error) {
			*log = append(*log, name)
			return reading{samples: []float64{float64(10 * (i + 1))}}, nil
		}))
	}
	return w
}

// failing adds a row that fails.
func (w *workload) failing(runtime string, err error) *workload {
	w.rows = append(w.rows, goRow(runtime, func(*session, int) (reading, error) {
		return reading{}, err
	}))
	return w
}

// only is a bench of these workloads.
func only(ws ...*workload) bench {
	return bench{tinySizes, tinySizes, func(sizes) []*workload { return ws }, func() []costRow {
		return nil
	}}
}

func TestRowsTakeTurns(t *testing.T) {
	var log []string
	s := &session{sizes: tinySizes, pairs: 3, workers: []int{1}, patience: time.Minute}
	_, err := s.race(context.Background(), logged(&log, heddle, "A", "B"))
	require.NoError(t, err)
	require.Equal(t, []string{heddle, "A", "B", "A", "B", heddle, "B", heddle, "A"}, log)
}

// A panic, or the end of the goroutine, is the failure of the row.
func TestRowThatPanics(t *testing.T) {
	w := &workload{name: "w", rows: []row{goRow("A", func(*session, int) (reading, error) {
		panic("no")
	})}}
	s := &session{pairs: 1, workers: []int{1}, patience: time.Minute}
	all, err := s.race(context.Background(), w)
	require.NoError(t, err)
	require.EqualError(t, all[0].err, "panic: no")
}

// A row that hangs is given up, and the others go on.
func TestRowThatHangs(t *testing.T) {
	var log []string
	stop := make(chan struct{})
	defer close(stop)
	w := logged(&log, heddle)
	w.rows = append(w.rows, goRow("stuck", func(*session, int) (reading, error) {
		<-stop
		return reading{}, nil
	}))
	s := &session{pairs: 2, workers: []int{1}, patience: 10 * time.Millisecond}
	all, err := s.race(context.Background(), w)
	require.NoError(t, err)
	require.Equal(t, []string{heddle, heddle}, log)
	require.ErrorContains(t, all[1].err, "hangs")
}

// A peer that fails, or is absent, is shown and fails nothing else; a row of Heddle fails the
// command.
func TestFailingRows(t *testing.T) {
	for _, c := range []struct {
		runtime string
		err     error
		status  int
		shown   string
	}{
		{"peer", checkSum(1, 10), cli.OK, "FAILED: popped values add up to 1, pushed ones to 45"},
		{"peer", absent("none here"), cli.OK, "absent: none here"},
		{"heddle-tasks", errors.New("lost a task"), cli.Failed, "FAILED: lost a task"},
		{"heddle-tasks", absent("none here"), cli.OK, "absent: none here"},
	} {
		t.Run(c.runtime+" "+c.shown, func(t *testing.T) {
			var log []string
			b := only(logged(&log, heddle, "slow").failing(c.runtime, c.err))
			status, stdout, stderr := command(b, "-workers", "1")
			require.Equal(t, c.status, status, stderr)
			require.Contains(t, stdout, c.shown)
			require.Regexp(t, `(?m)^  slow +1 +20\.0 +20\.0-20\.0 +20\.0 +20\.0 +- +2\.00x$`,
				stdout)
			status, stdout, _ = command(b, "-workers", "1", "-json")
			require.Equal(t, c.status, status)
			records := decode(t, stdout)
			require.Len(t, records, 3)
			require.Equal(t, c.err.Error(), records[2]["error"])
			require.Nil(t, records[2]["median"])
			require.Equal(t, "", records[1]["error"])
		})
	}
}

// A workload whose Heddle row fails has no ratios.
func TestNoRatioWithoutHeddle(t *testing.T) {
	var log []string
	w := logged(&log, "A").failing(heddle, errors.New("no"))
	status, stdout, _ := command(only(w), "-json", "-workers", "1")
	require.Equal(t, cli.Failed, status)
	require.Nil(t, decode(t, stdout)[0]["ratio_to_heddle"])
}

// What was measured by then is reported.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var log []string
	w := logged(&log, heddle)
	w.rows = append(w.rows, goRow("A", func(*session, int) (reading, error) {
		cancel()
		return reading{}, ctx.Err()
	}))
	var out, errs bytes.Buffer
	require.Equal(t, cli.Failed,
		only(w).command(nil).Run(ctx, []string{"-json", "-workers", "1"}, &out, &errs))
	require.Equal(t, "bench: w: interrupted\n", errs.String())
	records := decode(t, out.String())
	require.Equal(t, 10.0, records[0]["median"])
	require.Equal(t, "interrupted", records[1]["error"])
}

// command runs a bench and returns all that it came to.
func command(b bench, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = b.command(args).Run(context.Background(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// decode reads what -json prints, and nothing after it.
func decode(t *testing.T, text string) (records []map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	require.NoError(t, d.Decode(&records), "%s", text)
	require.NotNil(t, records)
	require.False(t, d.More())
	return records
}
