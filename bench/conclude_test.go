package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// said is the last part of what a run of one workload prints: its conclusion. The rows take the
// times that are given, in their order.
func said(t *testing.T, w *workload, args ...string) string {
	t.Helper()
	status, stdout, stderr := command(only(w), append(args, "-workers", "1")...)
	require.Equal(t, cli.OK, status, stderr)
	_, end, found := strings.Cut(stdout, "\n\nIn short, ")
	require.True(t, found, stdout)
	return end
}

// timed is a workload whose rows take the times that are given.
func timed(times map[string]float64) *workload {
	w := &workload{name: "w", title: "times", unit: "ns", n: 1}
	for _, name := range []string{heddle, "heddle-run", "peer", "serial", "serial-c++", "onetbb"} {
		took, known := times[name]
		if !known {
			continue
		}
		r := goRow(name, func(*session, int) (reading, error) {
			return reading{samples: []float64{took}}, nil
		})
		if name == "serial-c++" || name == "onetbb" {
			r.lang = langCPP
		}
		w.rows = append(w.rows, r)
	}
	return w
}

// A run says where Heddle is ahead, level and behind. It is compared by its fastest row, with the
// fastest row of each side.
func TestConclusion(t *testing.T) {
	for _, c := range []struct {
		name  string
		times map[string]float64
		want  []string
	}{
		{"ahead", map[string]float64{heddle: 10, "peer": 20, "serial": 30},
			[]string{"Compared with the peers in Go, Heddle was faster in 1 of 1 row and slower " +
				"in none.", "Compared with one thread in Go (the row serial), Heddle was faster " +
				"in 1 of 1 row and slower in none."}},
		{"level", map[string]float64{heddle: 10, "heddle-run": 9, "peer": 8.9},
			[]string{"Compared with the peers in Go, Heddle was faster in 0 of 1 row, level " +
				"(within 3 %) in 1 and slower in none."}},
		{"behind", map[string]float64{heddle: 10, "peer": 20, "serial": 5, "onetbb": 4,
			"serial-c++": 1},
			[]string{"Compared with the peers in Go, Heddle was faster in 1 of 1 row and slower " +
				"in none.", "Compared with the peers in C++, Heddle was faster in 0 of 1 row and " +
				"slower in 1: w beside onetbb (2.50 times as long).", "Compared with one thread " +
				"in Go (the row serial), Heddle was faster in 0 of 1 row and slower in 1: w " +
				"beside serial (2.00 times as long)."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, "with the fastest row of each side in each workload:\n"+
				strings.Join(c.want, "\n")+"\n", said(t, timed(c.times), "-pairs", "5"))
		})
	}
}

// Figures of a small run come with a warning, and with the commands that give better ones.
func TestConclusionOfSmallRuns(t *testing.T) {
	end := said(t, timed(map[string]float64{heddle: 10, "peer": 20}), "-quick")
	require.Contains(t, end, "\nDo not quote these figures: each row had 3 turns of a few "+
		"milliseconds; -quick only checks that rows work.\n")
	require.Contains(t, end, "\n  go -C bench run . ")
	end = said(t, timed(map[string]float64{heddle: 10, "peer": 20}), "-pairs", "4")
	require.Contains(t, end, "\nDo not quote these figures: each row had 4 turns.\n")
}

// A row that failed is not compared, and the conclusion counts it; where all peers of a language
// are absent, it says why.
func TestConclusionOfFailures(t *testing.T) {
	w := timed(map[string]float64{heddle: 10, "peer": 20}).failing("broken", errors.New("no"))
	require.Contains(t, said(t, w), "\n1 row failed or did not end: see above.\n")
	w = timed(map[string]float64{heddle: 10, "peer": 20}).failing("onetbb", absent("no compiler"))
	w.rows[len(w.rows)-1].lang = langCPP
	require.Contains(t, said(t, w),
		"\nHeddle was not compared with the peers in C++: no compiler.\n")
}
