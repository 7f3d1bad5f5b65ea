package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
)

func TestTableLayout(t *testing.T) {
	r := report{
		Packages: 360, Edges: 2544, Files: 1675, Skipped: 1, Errors: 2, Workers: 2,
		SerialMS: 2000.04, ParallelMS: 1250, GoroutinesMS: 1300.25, Speedup: 1.6,
		CriticalPathMS: 700.5, Parallelism: 2.855, Digest: strings.Repeat("0123456789abcdef", 4),
	}
	var b bytes.Buffer
	r.table(&b)
	require.Equal(t, `packages                360
edges                  2544   imports
files                  1675
skipped                   1
errors                    2
workers                   2
serial            2000.0 ms   one package after the other
parallel          1250.0 ms   one task a package
goroutines        1300.2 ms   one goroutine and one done-channel a package
speed-up            1.60      serial / parallel
critical path      700.5 ms   the longest chain of imports
parallelism         2.85      what the graph allows: work / critical path
results           DIFFER      digest 0123456789abcdef
`, b.String())
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
