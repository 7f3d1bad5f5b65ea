package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// The tables and pictures of the page of figures are what `go -C bench run . -fill` makes of the
// results beside it.
func TestPageShowsItsResults(t *testing.T) {
	files, err := filled("../docs/benchmarks.md")
	require.NoError(t, err)
	require.Len(t, slices.Collect(maps.Keys(files)), 2)
	for name, want := range files {
		text, err := os.ReadFile(filepath.Clean(name))
		require.NoError(t, err)
		require.Equal(t, want, string(text),
			"%s: go -C bench run . -fill ../docs/benchmarks.md rewrites it", name)
	}
}

// Each comparison of the overview exists, and its results are there.
func TestOverviewIsComplete(t *testing.T) {
	var from []results
	for _, file := range []string{"run.json", "steps.json"} {
		r, err := readResults("../docs/benchmarks/" + file)
		require.NoError(t, err)
		from = append(from, r)
	}
	names := everything.workloadNames()
	picture := overviewPicture(from)
	for _, c := range comparisons {
		require.Contains(t, names, c.workload)
		require.Contains(t, picture, ">"+c.label+"</text>")
	}
}

// What -keep writes -fill shows, and the rest of the page stays as it is.
func TestKeepAndFill(t *testing.T) {
	dir := t.TempDir()
	page, kept := filepath.Join(dir, "page.md"), filepath.Join(dir, "page", "run.json")
	require.NoError(t, os.Mkdir(filepath.Dir(kept), 0o777))
	status, _, stderr := command(tiny, "-workload", "deque-*,costs", "-cpp", "off", "-pairs", "1",
		"-keep", kept)
	require.Equal(t, cli.OK, status, stderr)
	r, err := readResults(kept)
	require.NoError(t, err)
	require.Equal(t,
		"go -C bench run . -workload deque-*,costs -cpp off -pairs 1 -keep "+kept, r.Command)
	require.Equal(t, 1, r.Pairs)
	require.NotEmpty(t, r.Costs)
	require.Positive(t, *r.find("deque-steal", heddle, 0).Median)
	text, err := os.ReadFile(filepath.Clean(kept))
	require.NoError(t, err)
	require.NotContains(t, string(text), "null")

	put := func(text string) { require.NoError(t, os.WriteFile(page, []byte(text), 0o600)) }
	get := func() string {
		text, err := os.ReadFile(filepath.Clean(page))
		require.NoError(t, err)
		return string(text)
	}
	put("before\n<!-- bench: queues run.json -->\nold\n<!-- end -->\nafter\n")
	for range 2 { // the second time nothing changes
		status, stdout, stderr := command(tiny, "-fill", page)
		require.Equal(t, cli.OK, status, stderr)
		require.Empty(t, stdout)
		require.Regexp(t,
			`^before\n<!-- bench: queues run.json -->\n\|workload\|heddle\|.*\|\n\|---\|---:\|---:\|\n`+
				`\|deque-pushpop\|[0-9.]+ ns/push\+pop\|(.|\n)*\n`+
				"\n`go -C bench run [^`]*`\n<!-- end -->\nafter\n$", get())
	}
	for _, c := range []struct{ text, why string }{
		{"<!-- bench: towers run.json -->\n<!-- end -->\n", "nothing is called towers"},
		{"<!-- bench: queues -->\n<!-- end -->\n", "names no file, or has no end"},
		{"<!-- bench: queues run.json run.json -->\n<!-- end -->\n", "made of 2 files"},
		{"<!-- bench: queues none.json -->\n<!-- end -->\n", "none.json"},
		{"<!-- bench: queues run.json -->\n<!-- bench: costs run.json -->\n<!-- end -->\nbehind\n",
			"names no file, or has no end"},
	} {
		put(c.text)
		status, _, stderr := command(tiny, "-fill", page)
		require.Equal(t, cli.Failed, status, c.text)
		require.Contains(t, stderr, c.why)
		require.Equal(t, c.text, get())
	}
}
