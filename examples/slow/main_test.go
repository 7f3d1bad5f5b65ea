package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
)

func command(t *testing.T, args ...string) clitest.Outcome[report] {
	t.Helper()
	return clitest.Call[report](t, slow(), args...)
}

func TestCases(t *testing.T) {
	for _, c := range scenes {
		for _, form := range []string{"slow", "mended"} {
			dir := t.TempDir()
			name := func(s string) string { return filepath.Join(dir, s) }
			args := []string{"-case", c.name, "-workers", "2", "-trace", name("run.json"),
				"-lanes", name("lanes.svg"), "-graph", name("graph.svg")}
			if form == "mended" {
				args = append(args, "-mended")
			}
			o := command(t, args...)
			require.Equal(t, cli.OK, o.Status, o.Stderr)
			require.Regexp(t, "^"+c.name+", the "+form+` form: \S+ with 2 workers\n`, o.Stdout)
			require.Contains(t, o.Stdout, "\nThe case: "+c.about+".\n")
			require.Contains(t, o.Stdout, "Critical path")
			for _, file := range []string{"run.json", "lanes.svg", "graph.svg"} {
				info, err := os.Stat(name(file))
				require.NoError(t, err)
				require.Positive(t, info.Size(), file)
			}
		}
	}
}

func TestValueOutOfRange(t *testing.T) {
	clitest.OutOfRange(t, "slow", command, "-case good", "-workers 0", "-workers 2000",
		"-trace run.txt", "-mended", "-lanes x.svg", "-graph x.svg", "-trace x.json")
}

func TestJSON(t *testing.T) {
	o := command(t, "-case", "long-task", "-mended", "-json")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Len(t, o.Report.Runs, 1)
	r := o.Report.Runs[0]
	require.Equal(t, "long-task", r.Case)
	require.True(t, r.Mended)
	require.Positive(t, r.SpanMS)
	require.GreaterOrEqual(t, r.WorkMS, r.SpanMS)
	require.GreaterOrEqual(t, r.TookMS, r.SpanMS)
}

// Without -case both forms of all cases are compared.
func TestAllCases(t *testing.T) {
	if testing.Short() {
		t.Skip("runs each form several times")
	}
	o := command(t, "-workers", "2", "-json")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	for _, c := range scenes {
		require.Regexp(t, `(?m)^`+c.name+`( +[\d.]+){3}  `+c.about+`$`, o.Stderr)
	}
	require.Regexp(t, `\n\nMending gained .*\n.*\n$`, o.Stderr)
	require.Len(t, o.Report.Runs, 2*len(scenes))
	for i, r := range o.Report.Runs {
		require.Equal(t, scenes[i/2].name, r.Case)
		require.Equal(t, i%2 == 1, r.Mended)
		require.Positive(t, r.TookMS)
	}
}

func TestSentences(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	say := func(pairs ...pair) string {
		lines := compared(pairs, 2)
		return lines[len(lines)-2]
	}
	better := pair{"a", ms(20), ms(10)}
	level := pair{"b", ms(10), ms(10)}
	worse := pair{"c", ms(10), ms(11)}
	require.Equal(t, "Mending gained in each of the 2 cases, 1.00 being no gain.",
		say(better, better))
	require.Equal(t, "Mending gained in 1 of 3 cases. It gained nothing in this run in: b, c.",
		say(better, level, worse))
	require.Equal(t, "Mending gained NOTHING in this run.", say(level, worse))
}

func TestHelp(t *testing.T) {
	clitest.Help(t, command, "case", "mended", "workers", "trace", "lanes", "graph", "json",
		"progress")
}
