package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTableLayout(t *testing.T) {
	r := report{
		Packages: 360, Edges: 2544, Files: 1675, Skipped: 1, Errors: 2, Workers: 2,
		SerialMS: 2000.04, ParallelMS: 1250, GoroutinesMS: 1300.25, Speedup: 1.6,
		CriticalPathMS: 700.5, Parallelism: 2.855, Digest: strings.Repeat("0123456789abcdef", 4),
	}
	var b bytes.Buffer
	require.NoError(t, r.table(&b))
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
	m := &measurement{outcomes: []result{{errs: strings.Split(strings.Repeat("a.go:1:1: oh ", 150), " oh ")[:150]}}}
	var b bytes.Buffer
	m.tell(g, &b)
	require.Equal(t, maxLines+1, strings.Count(b.String(), "\n"))
	require.True(t, strings.HasSuffix(b.String(), "and 50 lines more\n"))
}

func TestProgressOnlyOnTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer file.Close()
	require.Nil(t, newProgress(options{progress: true}, file))
	require.Nil(t, newProgress(options{progress: true}, &bytes.Buffer{}))
	var none *progress
	none.at("serial", 0, 3) // shows nothing
	none.clear()
}

func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	p := &progress{w: &b, start: time.Now()}
	p.at("goroutines", 0, 6)
	p.at("serial", 1, 6)
	p.clear()
	lines := strings.Split(b.String(), "\r")
	require.Equal(t, "pass 1 of 6: goroutines", lines[1])
	require.Regexp(t, `^pass 2 of 6: serial, about \S+ left *$`, lines[2])
	require.GreaterOrEqual(t, len(lines[2]), len(lines[1]), "covers the line before")
	require.Equal(t, strings.Repeat(" ", len(strings.TrimRight(lines[2], " "))), lines[3])
	require.Empty(t, lines[4])
}

// full is a writer with no space left.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestUnwritableOutput(t *testing.T) {
	dir := module(t, sound)
	for _, args := range [][]string{{"-dir", dir, "-runs", "1"}, {"-dir", dir, "-runs", "1", "-json"}} {
		var stderr bytes.Buffer
		require.Equal(t, exitFailed, run(args, full{}, &stderr))
		requireLine(t, stderr.String(), "typecheck: no space left")
	}
}
