package main

import (
	"os"
	"path/filepath"
	"testing"

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
			require.Regexp(t, "^"+c.name+", "+form+`: \S+ on 2 workers\n`, o.Stdout)
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
		"-trace run.txt")
}

func TestJSON(t *testing.T) {
	o := command(t, "-case", "long-task", "-mended", "-json")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Equal(t, "long-task", o.Report.Case)
	require.True(t, o.Report.Mended)
	require.Positive(t, o.Report.SpanMS)
	require.GreaterOrEqual(t, o.Report.WorkMS, o.Report.SpanMS)
	require.GreaterOrEqual(t, o.Report.TookMS, o.Report.SpanMS)
}

func TestHelp(t *testing.T) {
	clitest.Help(t, command, "case", "mended", "workers", "trace", "lanes", "graph", "json",
		"progress")
}
