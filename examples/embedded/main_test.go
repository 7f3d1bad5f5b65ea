package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/embedded/columns"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
	"github.com/heddle-go/heddle/taskgraph"
)

// Both libraries find the same on one system as without one, with any number of workers and in
// every order.
func TestWaysFindTheSame(t *testing.T) {
	find := func(w way, o taskgraph.Options) found {
		sys := taskgraph.Start(o)
		points, table := makePoints(20_000)
		f, err := w.find(t.Context(), sys, points, table)
		require.NoError(t, err)
		require.NoError(t, sys.Shutdown(t.Context()))
		return f
	}
	one := find(ways[0], taskgraph.Options{})
	require.Len(t, one.sums, 3)
	require.Equal(t, 20_000, one.sums[2].Count)
	require.Len(t, one.nearest, len(asked))
	require.Equal(t, one, find(ways[1], taskgraph.Options{}))
	for _, workers := range []int{1, 4} {
		require.Equal(t, one, find(ways[2], taskgraph.Options{Workers: workers}))
	}
	for seed := range uint64(5) {
		require.Equal(t, one, find(ways[2], taskgraph.Options{
			Deterministic: &taskgraph.Deterministic{Seed: seed},
		}), "seed %d", seed)
	}
}

func command(t *testing.T, args ...string) clitest.Outcome[struct{}] {
	t.Helper()
	return clitest.Call[struct{}](t, embedded(), args...)
}

func TestCommand(t *testing.T) {
	o := command(t, "-points", "2000", "-workers", "3")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Contains(t, o.Stdout, "column 3 has 2000 numbers from 0.00 to 1.00, mean 0.49")
	require.Regexp(t, `(?m)^one goroutine +[\d.]+  without a system: `, o.Stdout)
	require.Regexp(t, `(?m)^one system +[\d.]+  both libraries on the same 3 workers$`, o.Stdout)
	require.Regexp(t, `\nThe results are equal, to the last bit, with and without a system\.\n$`,
		o.Stdout)
}

func TestCommandLine(t *testing.T) {
	for _, test := range []struct{ flag, value, limit string }{
		{"-workers", "0", "1024"}, {"-workers", "1025", "1024"}, {"-points", "0", "1000000"},
	} {
		o := command(t, test.flag, test.value)
		require.Equal(t, cli.Failed, o.Status)
		clitest.Line(t, o.Stderr,
			"embedded: "+test.flag+" "+test.value+": want 1 to "+test.limit)
	}
	require.Equal(t, cli.Usage, command(t, "stray").Status)
	clitest.Help(t, command, "workers", "points", "progress")
}

func TestSentences(t *testing.T) {
	ends := func(r result) []string {
		lines := r.lines()
		return lines[len(lines)-3:]
	}
	r := result{options: options{workers: 2, points: 10}, equal: true,
		found: found{sums: []columns.Summary{{Count: 10}}},
		took:  [...]time.Duration{3e6, 2e6, 1e6}}
	const equal = "The results are equal, to the last bit, with and without a system."
	require.Equal(t, []string{"One system was 3.00 times as fast as one goroutine.",
		"One system was 2.00 times as fast as a goroutine for each library.", equal}, ends(r))
	r.took = [...]time.Duration{2e6, 1e6, 2e6}
	require.Equal(t, []string{"One system was level with one goroutine (1.00 times as fast).",
		"One system was slower than a goroutine for each library: it took 2.00 times as long.", equal},
		ends(r))
	r.took, r.equal, r.workers = [...]time.Duration{2e6, 1e6, 3e6}, false, 1
	require.Equal(t, []string{
		"One system was slower than one goroutine: it took 1.50 times as long.",
		"One system was slower than a goroutine for each library: it took 3.00 times as long.",
		"The results DIFFER."}, ends(r))
	lines := r.lines()
	require.Contains(t, lines[len(lines)-5], "both libraries on the same 1 worker")
}
