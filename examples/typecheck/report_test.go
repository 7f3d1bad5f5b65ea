package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
)

func TestReportLayout(t *testing.T) {
	r := report{
		Packages: 360, Edges: 2544, Files: 1675, Skipped: 1, Errors: 2, Workers: 2,
		SerialMS: 2000.04, ParallelMS: 1250, GoroutinesMS: 1300.25, Speedup: 1.6,
		VsGoroutines: 1.04, CriticalPathMS: 700.5, Parallelism: 2.855,
		Digest: strings.Repeat("0123456789abcdef", 4), ResultEqual: true,
	}
	var b bytes.Buffer
	o := options{runs: 5, workers: 2}
	o.begin(&b)
	r.print(&b, o)
	require.Equal(t, `Type-checking Go's standard library (`+runtime.Version()+`)
in three ways, in turn, 5 times each.

               median  speed-up
serial        2000 ms      1.00   one package after the other
goroutines    1300 ms      1.54   a goroutine and a channel for each package
Heddle        1250 ms      1.60   a task for each package, 2 workers

360 packages with 2544 imports in 1675 files: 2 errors, 1 package skipped.
The three ways found the same (digest 0123456789abcdef).
The longest chain of imports takes 700 ms, however many workers there are.

Heddle was 1.60 times as fast as one package after the other with 2 workers; the graph allows 2.85.
It was 1.04 times as fast as plain goroutines.

To see which worker checked which package when, run
  go -C examples run ./typecheck -runs 1 -lanes `+filepath.Join(os.TempDir(), "typecheck.svg")+`
and open that file in a browser.
`, b.String())
}

func TestReportSaysWhereHeddleIsBehind(t *testing.T) {
	r := report{Workers: 1, SerialMS: 100, ParallelMS: 110, GoroutinesMS: 88, Parallelism: 2.5}
	require.Equal(t, "Heddle was slower than one package after the other: it took 1.10 times as "+
		"long with 1 worker; the graph allows 2.50.", r.gain())
	require.Equal(t, "It was slower than plain goroutines: it took 1.25 times as long.",
		r.besideGoroutines())
	r.GoroutinesMS = 109
	require.Equal(t, "It was level with plain goroutines (0.99 times as fast).",
		r.besideGoroutines())
	var b bytes.Buffer
	r.print(&b, options{dir: "m", lanes: "run.svg"})
	require.Contains(t, b.String(), "The three ways DIFFER in what they found.\n")
	name, err := filepath.Abs("run.svg")
	require.NoError(t, err)
	require.Contains(t, b.String(), "\nOpen "+name+" in a browser\n")
	require.Contains(t, options{dir: "m"}.again(), "./typecheck -runs 1 -dir m -lanes ")
}

func TestReportIsBad(t *testing.T) {
	require.False(t, (&report{ResultEqual: true}).bad())
	require.True(t, (&report{}).bad())
	require.True(t, (&report{ResultEqual: true, Errors: 1}).bad())
	require.True(t, (&report{ResultEqual: true, Skipped: 1}).bad())
}

func TestManyErrorsAreCutShort(t *testing.T) {
	g := &graph{pkgs: []pkg{{path: "a", own: true}}}
	m := &measurement{outcomes: []result{{errs: strings.Split(strings.Repeat("a.go:1:1: oh ", 150),
		" oh ")[:150]}}}
	var b bytes.Buffer
	m.tell(g, &b)
	require.Equal(t, maxLines+1, strings.Count(b.String(), "\n"))
	require.True(t, strings.HasSuffix(b.String(), "and 50 lines more\n"))
}

// full is a writer with no space left.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestUnwritableOutput(t *testing.T) {
	dir := module(t, sound)
	for _, args := range [][]string{{"-dir", dir, "-runs", "1"},
		{"-dir", dir, "-runs", "1", "-json"}} {
		var stderr bytes.Buffer
		require.Equal(t, cli.Failed, typechecker().Run(t.Context(), args, full{}, &stderr))
		clitest.Line(t, stderr.String(), "typecheck: standard output: no space left")
	}
}
