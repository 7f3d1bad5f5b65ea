package main

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		stderr string
	}{
		{"-h", cli.OK, "usage: bench [flags]"},
		{"-h", cli.OK, "workloads: spawn-inside, spawn-outside"},
		{"-workload deque-* -cpp off -pairs 1", cli.OK, ""},
		{"-workload deque-steal -runtime mutex -cpp auto -quick -workers 2", cli.OK, ""},
		{"-pairs 0", cli.Failed, "-pairs 0: want 1 to 1000"},
		{"-workers 0", cli.Failed, "-workers 0: want 1 to 1024"},
		{"-workers 1,2000", cli.Failed, "-workers 2000: want 1 to 1024"},
		{"-workload fibs", cli.Failed, "-workload fibs: no such workload; there are spawn-inside,"},
		{"-runtime heddel", cli.Failed, "-runtime heddel: no such runtime; there are heddle,"},
		{"-workload fib -runtime moodycamel", cli.Failed,
			"none of these workloads has one of these runtimes"},
		{"-fill no-such-page.md", cli.Failed, "no-such-page.md"},
		{"-fill main.go", cli.Failed, "want a page whose name ends in .md"},
		{"-only stairs", cli.Failed, "-only stairs: no such family; there are step, frame, beside"},
		{"-workers two", cli.Usage, "want numbers separated by commas"},
		{"-workload [", cli.Usage, "want names separated by commas"},
		{"-runtime ,", cli.Usage, "want names separated by commas"},
		{"-cpp maybe", cli.Usage, "want auto, off or require"},
		{"-pairs many", cli.Usage, "invalid value"},
		{"-no-such-flag", cli.Usage, "flag provided but not defined"},
		{"stray", cli.Usage, `stray argument "stray" (-h lists the flags)`},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := strings.Fields(c.args)
			status, stdout, stderr := command(tiny, args...)
			require.Equal(t, c.status, status, "%s%s", stdout, stderr)
			require.Contains(t, stderr, c.stderr)
			if c.stderr == "" {
				require.Empty(t, stderr)
				require.NotEmpty(t, stdout)
			} else {
				require.Empty(t, stdout)
			}
			if c.status == cli.OK {
				return
			}
			// With -json the same, and an array all the same.
			status, stdout, stderr = command(tiny, append(args, "-json")...)
			require.Equal(t, c.status, status)
			require.Empty(t, decode(t, stdout))
			require.Contains(t, stderr, c.stderr)
		})
	}
}

func TestCPPRequire(t *testing.T) {
	t.Setenv("CXX", "no-such-compiler")
	status, stdout, stderr := command(tiny, "-workload", "deque-steal", "-cpp", "require", "-pairs",
		"1")
	require.Equal(t, cli.Failed, status)
	require.Contains(t, stderr, `no C++ compiler "no-such-compiler"`)
	require.Empty(t, stdout)
	status, stdout, stderr = command(tiny, "-workload", "deque-steal", "-cpp", "auto", "-pairs",
		"1")
	require.Equal(t, cli.OK, status)
	require.Contains(t, stdout,
		`absent: no C++ compiler "no-such-compiler" (set CXX to have another)`)
	require.Empty(t, stderr)
}

// parsed are the options of a command line.
func parsed(t *testing.T, args ...string) (o options) {
	t.Helper()
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	o.flags(fs)
	require.NoError(t, fs.Parse(args))
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	o.complete(given)
	return o
}

func TestDefaults(t *testing.T) {
	o := parsed(t)
	require.Equal(t, 7, o.pairs)
	require.Equal(t, []int{1, 2}, o.workers[:2])
	require.GreaterOrEqual(t, slices.Max(o.workers), runtime.NumCPU())
	require.Equal(t, cppAuto, o.cpp)

	o = parsed(t, "-quick")
	require.Equal(t, 3, o.pairs)
	require.Equal(t, []int{2}, o.workers)

	o = parsed(t, "-quick", "-pairs", "9", "-workers", "4, 1,4")
	require.Equal(t, 9, o.pairs)
	require.Equal(t, []int{4, 1}, o.workers)
}

// A peer that is switched off has no row.
func TestSwitchedOff(t *testing.T) {
	status, stdout, stderr := command(tiny, "-workload", "deque-steal,spawn-inside,costs", "-cpp",
		"off", "-pairs", "1", "-workers", "1")
	require.Equal(t, cli.OK, status, stderr)
	require.NotContains(t, stdout, "C++")
	require.NotContains(t, stdout, "absent")
	status, _, stderr = command(tiny, "-runtime", "onetbb", "-cpp", "off")
	require.Equal(t, cli.Failed, status)
	require.Contains(t, stderr, "nothing to measure")
}

// The fields of a record are part of what programs rely on.
func TestJSON(t *testing.T) {
	status, stdout, stderr := command(tiny, "-json", "-workload", "deque-steal,spawn-inside",
		"-runtime", "heddle,onetbb,mutex", "-cpp", "off", "-pairs", "2", "-workers", "1,2")
	require.Equal(t, cli.OK, status)
	require.Empty(t, stderr)
	records := decode(t, stdout)
	var got []string
	for _, r := range records {
		require.Equal(t, []string{"allocs_per_op", "best_go_by_this", "cpus", "error",
			"kernel_wakes_per_op", "lang", "max", "median", "min", "missed", "n", "none_by_this",
			"p50", "p99", "p999", "ratio_to_heddle", "runtime", "step_mean", "step_p99",
			"switches_per_op", "threads_waiting", "unit", "workers", "workload"},
			slices.Sorted(maps.Keys(r)))
		got = append(got, strings.Join([]string{r["workload"].(string), r["runtime"].(string),
			r["lang"].(string), r["unit"].(string)}, " "))
		require.Empty(t, r["error"])
		require.LessOrEqual(t, r["min"], r["median"])
		require.LessOrEqual(t, r["median"], r["max"])
		require.LessOrEqual(t, r["p50"], r["p99"])
		require.GreaterOrEqual(t, r["allocs_per_op"], 0.0)
		require.Positive(t, r["ratio_to_heddle"])
		require.Positive(t, r["n"])
	}
	require.Equal(t, []string{
		"spawn-inside heddle go ns/task", "spawn-inside heddle go ns/task",
		"deque-steal heddle go ns/steal", "deque-steal mutex go ns/steal",
	}, got)
	require.Equal(t, []any{1.0, 2.0, 1.0, 1.0},
		[]any{records[0]["workers"], records[1]["workers"], records[2]["workers"],
			records[3]["workers"]})
}

// -out writes a page that shows every plot, and the records.
func TestOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	status, _, stderr := command(tiny, "-out", dir, "-workload",
		"spawn-inside,wake-drowsing,frame,deque-steal,costs", "-cpp", "off", "-pairs", "2",
		"-workers", "1,2")
	require.Equal(t, cli.OK, status, stderr)
	var files []string
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		files = append(files, e.Name())
	}
	require.Equal(t, []string{"deque-steal-bars.svg", "frame-bars.svg", "frame-latency-1.svg",
		"frame-latency-2.svg", "frame-scaling.svg", "report.json", "report.md",
		"spawn-inside-bars.svg", "spawn-inside-scaling.svg", "summary.md", "wake-drowsing-bars.svg",
		"wake-drowsing-latency.svg"}, files)
	page, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, ".svg") {
			require.Contains(t, string(page), "]("+name+")")
			plot, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.Contains(t, string(plot), "<svg")
			require.Contains(t, string(plot), heddle)
		}
	}
	require.Contains(t, string(page), "`go -C bench run . -out ")
	summary, err := os.ReadFile(filepath.Join(dir, "summary.md"))
	require.NoError(t, err)
	require.Regexp(t,
		`(?m)^\|spawn-inside\|2\|[0-9.]+ ns/task\|heddle-tasks [0-9.]+, goroutines [0-9.]+`,
		string(summary))
	require.Contains(t, string(page), "## costs")
	require.Contains(t, string(page),
		"|runtime|workers|ns/task|min-max|p50|p99|allocs|ratio|\n|---|---:|")
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err)
	require.NotEmpty(t, decode(t, string(text)))
}

// A folder that cannot be written fails the command, after everything is printed.
func TestOutFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	var log []string
	status, stdout, stderr := command(only(logged(&log, heddle)), "-out", file, "-workers", "1")
	require.Equal(t, cli.Failed, status)
	require.Contains(t, stdout, "turns (n = 1)")
	require.Contains(t, stderr, file)
}
