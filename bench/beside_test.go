package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// Goroutines beside steps are measured when one asks for them.
func TestWantedBeside(t *testing.T) {
	count := func(args ...string) (beside, others int) {
		o := parsed(t, args...)
		for _, w := range o.choose(workloads(tinySizes)) {
			if w.family == besideFamily {
				beside++
			} else {
				others++
			}
		}
		return beside, others
	}
	beside, _ := count("-quick")
	require.Equal(t, len(quickBeside), beside)
	beside, _ = count()
	require.Equal(t, len(usualBeside), beside)
	beside, others := count("-only", "beside")
	require.Equal(t, len(besideWorkloads(tinySizes)), beside)
	require.Zero(t, others)
	names := everything.workloadNames()
	for _, name := range append(quickBeside, usualBeside...) {
		require.Contains(t, names, name)
	}
}

// Rows, kinds and steps are in the README.
func TestBesideIsDocumented(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, kind := range besideKinds {
		require.Contains(t, string(text), "`beside-"+kind.name+"`")
	}
	for _, w := range besideWorkloads(tinySizes) {
		for _, r := range w.rows {
			require.Contains(t, string(text), "`"+r.runtime+"`")
		}
	}
}

// Each kind of work has measured something when it ends, however soon that is, and counts all of
// it.
func TestOrdinaryWork(t *testing.T) {
	for _, kind := range besideKinds {
		o := newOrdinary()
		kind.open(o)
		samples, units, err := o.end()
		require.NoError(t, err, kind.name)
		require.NotEmpty(t, samples, kind.name)
		require.GreaterOrEqual(t, units, kind.n, kind.name)
		for _, v := range samples {
			require.GreaterOrEqual(t, v, 0.0, kind.name)
		}
	}
}

// A piece that is wrong, lost or out of order is found.
func TestWrongPieces(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces []piece
		right  bool
	}{
		{"right", []piece{{0, 0, 7}, {1, 0, 7}, {0, 1, 7}}, true},
		{"wrong", []piece{{0, 0, 7}, {1, 0, 8}}, false},
		{"lost", []piece{{0, 0, 7}, {0, 2, 7}}, false},
		{"twice", []piece{{0, 0, 7}, {0, 0, 7}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			passed := make(chan piece, len(c.pieces))
			for _, p := range c.pieces {
				passed <- p
			}
			close(passed)
			o := newOrdinary()
			o.collect(passed, 7)
			require.Equal(t, c.right, o.failed == nil, "%v", o.failed)
		})
	}
}

// Steps that go wrong beside goroutines fail, like all others.
func TestWrongStepsBeside(t *testing.T) {
	c := &besideCase{newStepCase(tinySizes, "fan2", besideWork, 0), (*ordinary).pieces}
	failed := errors.New("no")
	for _, want := range []error{nil, failed} {
		_, err := c.turn(&session{sizes: tinySizes},
			stepPeer{open: func(_ *stepCase, b *taskBench, _ int) (stepper, error) {
				return stepper{run: func() error { b.body(0)(); return want }}, nil
			}}, 1)
		if want != nil {
			require.ErrorIs(t, err, want)
		} else {
			require.ErrorContains(t, err, "ran 0 times")
		}
	}
}

// The tables have how the steps did, and what is left of the work without any.
func TestBesideColumns(t *testing.T) {
	args := []string{"-workload", "beside-pieces-fan8-4ms", "-runtime", "heddle,none", "-pairs",
		"1", "-workers", "2"}
	status, stdout, stderr := command(tiny, args...)
	require.Equal(t, cli.OK, status, stderr)
	require.Regexp(t, `switches +p99\.9 +missed +cpus +waiting +wakes +by-none +step +step-p99\n`,
		stdout)
	status, stdout, _ = command(tiny, append(args, "-json")...)
	require.Equal(t, cli.OK, status)
	records := decode(t, stdout)
	require.Len(t, records, 2)
	for _, r := range records {
		require.Positive(t, r["none_by_this"])
		require.Nil(t, r["best_go_by_this"])
		require.Equal(t, strings.HasPrefix(r["runtime"].(string), heddle), r["step_mean"] != nil)
	}
	require.Equal(t, 1.0, records[0]["none_by_this"])
}
