package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// What -quick, no flag and -only have of the steps are workloads.
func TestChosenStepsExist(t *testing.T) {
	names := everything.workloadNames()
	for _, chosen := range [][]string{quickSteps, usualSteps, onlySteps} {
		for _, name := range chosen {
			require.Contains(t, names, name)
		}
	}
	require.NotContains(t, names, "step-graph-5ms-4ms") // does not fit in its beat
}

// Each way to ask for steps has its choice.
func TestWantedSteps(t *testing.T) {
	count := func(args ...string) (steps, others int) {
		o := parsed(t, args...)
		for _, w := range o.choose(workloads(tinySizes)) {
			if w.family == stepFamily {
				steps++
			} else {
				others++
			}
		}
		return steps, others
	}
	steps, others := count("-quick")
	require.Equal(t, len(quickSteps), steps)
	require.Positive(t, others)
	steps, _ = count()
	programs := len(programCases(tinySizes))
	require.Equal(t, len(usualSteps)+programs, steps)
	steps, others = count("-only", "step")
	require.Equal(t, len(onlySteps)+programs, steps)
	require.Zero(t, others)
	steps, others = count("-workload", "step-*")
	require.Equal(t, len(stepWorkloads(tinySizes)), steps)
	require.Zero(t, others)

	o := parsed(t, "-only", "step")
	require.Equal(t, 5, o.pairs)
	require.Equal(t, []int{2}, o.workers)
}

// Rows and shapes of steps are in the README.
func TestStepsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, w := range stepWorkloads(tinySizes) {
		for _, r := range w.rows {
			require.Contains(t, string(text), "`"+r.runtime+"`")
		}
	}
	for _, kind := range stepKinds {
		require.Contains(t, string(text), "`"+kind+"`")
	}
}

// A step that loses a task, or runs it too early, or whose result is wrong, fails.
func TestWrongSteps(t *testing.T) {
	g := newShape("two", [][]uint32{nil, {0}})
	for _, c := range []struct {
		name, failure string
		run           func(b *taskBench)
	}{
		{"right", "", func(b *taskBench) { b.body(0)(); b.body(1)() }},
		{"lost", "ran 0 times", func(b *taskBench) { b.body(0)() }},
		{"twice", " times in ", func(b *taskBench) { b.body(0)(); b.body(0)(); b.body(1)() }},
		{"early", "an input was missing", func(b *taskBench) { b.body(1)(); b.body(0)() }},
		{"result", "left 1 and not", func(b *taskBench) {
			b.body(0)()
			b.body(1)()
			b.cells[1].result = 1
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			step := &stepCase{kind: "graph", g: g, part: []int{1, 3}}
			p := stepPeer{open: func(_ *stepCase, b *taskBench, _ int) (stepper, error) {
				return stepper{run: func() error { c.run(b); return nil }}, nil
			}}
			_, err := step.turn(&session{sizes: tinySizes}, p, 1)
			if c.failure == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.failure)
			}
		})
	}
	failed := errors.New("no")
	_, err := (&stepCase{kind: "graph", g: g, part: []int{1, 3}}).turn(&session{sizes: tinySizes},
		stepPeer{open: func(*stepCase, *taskBench, int) (stepper, error) {
			return stepper{run: func() error { return failed }}, nil
		}}, 1)
	require.ErrorIs(t, err, failed)
}

// Steps have columns of their own, and their figures are in the JSON.
func TestStepColumns(t *testing.T) {
	args := []string{"-workload", "step-fan8-20us-1.33ms", "-runtime", "heddle,serial", "-cpp",
		"off", "-pairs", "1", "-workers", "2"}
	status, stdout, stderr := command(tiny, args...)
	require.Equal(t, cli.OK, status, stderr)
	require.Regexp(t, `switches +p99\.9 +missed +cpus +waiting +wakes +by-go\n`, stdout)
	status, stdout, _ = command(tiny, append(args, "-json")...)
	require.Equal(t, cli.OK, status)
	records := decode(t, stdout)
	require.Len(t, records, 2)
	for _, r := range records {
		require.GreaterOrEqual(t, r["p999"], r["p99"])
		require.GreaterOrEqual(t, r["missed"], 0.0)
		require.LessOrEqual(t, r["missed"], 1.0)
		require.Equal(t, strings.HasPrefix(r["runtime"].(string), heddle),
			r["kernel_wakes_per_op"] != nil)
	}
}
