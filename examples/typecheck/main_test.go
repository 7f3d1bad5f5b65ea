package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
)

// sound is a small module without errors: top imports left and right, both import base.
var sound = files{
	"base/base.go": `package base

import "unsafe"

const Size = unsafe.Sizeof(T{})

type T struct{ A, B int32 }

func (T) M() {}
`,
	"left/left.go":   "package left\n\nimport \"example.com/m/base\"\n\ntype L struct{ base.T }\n",
	"right/right.go": "package right\n\nimport \"example.com/m/base\"\n\nconst R = base.Size + 1\n",
	// Not a command: that would depend on the runtime, which takes longer to check.
	"top.go": `package top

import (
	"example.com/m/left"
	"example.com/m/right"
)

func F() { println(left.L{}.A, right.R) }
`,
	"top_test.go": "package top\n\nvar x int = \"tests are not checked\"\n",
}

func TestModule(t *testing.T) {
	dir := module(t, sound)
	for _, workers := range []string{"1", "2", "16"} {
		o := command(t, "-dir", dir, "-runs", "2", "-workers", workers, "-json")
		require.Equal(t, cli.OK, o.Status, o.Stderr)
		require.Empty(t, o.Stderr)
		require.Equal(t, 5, o.Report.Packages, "the four and unsafe")
		require.Equal(t, 5, o.Report.Edges)
		require.Equal(t, 5, o.Report.Files)
		require.Zero(t, o.Report.Skipped)
		require.Zero(t, o.Report.Errors)
		require.Positive(t, o.Report.SerialMS)
		require.Positive(t, o.Report.ParallelMS)
		require.Positive(t, o.Report.GoroutinesMS)
		require.InDelta(t, o.Report.SerialMS/o.Report.ParallelMS, o.Report.Speedup,
			0.01*o.Report.Speedup+0.001)
		require.Positive(t, o.Report.CriticalPathMS)
		require.GreaterOrEqual(t, o.Report.Parallelism, 1.0)
		require.Regexp(t, "^[0-9a-f]{64}$", o.Report.Digest)
		require.True(t, o.Report.ResultEqual)
	}
}

func TestJSONKeys(t *testing.T) {
	const want = `packages edges files skipped errors serial_ms parallel_ms goroutines_ms speedup ` +
		`speedup_vs_goroutines critical_path_ms parallelism workers digest result_equal`
	for name, args := range map[string][]string{
		"done":         {"-json", "-runs", "1", "-dir", module(t, sound)},
		"no module":    {"-json", "-dir", t.TempDir()},
		"out of range": {"-json", "-workers", "0"},
		"usage":        {"-bogus", "-json"},
	} {
		o := command(t, args...)
		require.Equal(t, strings.Fields(want), clitest.Keys(o.Stdout), name)
	}
}

func TestReportForAPerson(t *testing.T) {
	dir := module(t, sound)
	o := command(t, "-dir", dir, "-runs", "1", "-workers", "3")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Empty(t, o.Stderr)
	begin := "Type-checking the module in " + dir + " and all that it imports\n" +
		"in three ways, in turn, 1 time each.\n"
	require.Equal(t, begin, o.Stdout[:len(begin)], "it says at once what it does")
	require.Contains(t, o.Stdout,
		"\n5 packages with 5 imports in 5 files: 0 errors, 0 packages skipped.\n")
	require.Regexp(t, `(?m)^Heddle was .* with 3 workers; the graph allows \d\.\d\d\.$`, o.Stdout)
	require.Regexp(t, `(?m)^The three ways found the same \(digest [0-9a-f]{16}\)\.$`, o.Stdout)
}

func TestSyntaxErrorSkipsDependents(t *testing.T) {
	o := command(t, "-json", "-runs", "2", "-workers", "2", "-dir", module(t, files{
		"base/base.go":     "package base\n\nconst One = 1\n",
		"broken/broken.go": "package broken\n\nimport _ \"example.com/m/base\"\n\nfunc (\n",
		"user/user.go":     "package user\n\nimport _ \"example.com/m/broken\"\n",
		"top/top.go":       "package top\n\nimport (\n\t_ \"example.com/m/base\"\n\t_ \"example.com/m/user\"\n)\n",
		"other/other.go":   "package other\n\nimport \"example.com/m/base\"\n\nvar S string = base.One\n",
	}))
	require.Equal(t, cli.Failed, o.Status)
	require.Equal(t, 5, o.Report.Packages)
	require.Equal(t, 2, o.Report.Skipped)
	require.True(t, o.Report.ResultEqual)
	require.Regexp(t, `(?m)^broken/broken\.go:\d+:\d+: expected `, o.Stderr)
	require.Regexp(t,
		`(?m)^example\.com/m/user: skipped, because example\.com/m/broken failed: broken/broken\.go:`,
		o.Stderr)
	require.Regexp(t,
		`(?m)^example\.com/m/top: skipped, because example\.com/m/broken failed: broken/broken\.go:`,
		o.Stderr)
	require.Regexp(t, `(?m)^other/other\.go:5:16: cannot use base\.One`, o.Stderr,
		"what does not depend on it is checked")
	require.Equal(t, strings.Count(o.Stderr, "\n")-2, o.Report.Errors,
		"all other lines are errors:\n%s", o.Stderr)
}

// A file that is wrong before its imports end never gets as far as our parser.
func TestSyntaxErrorInHeader(t *testing.T) {
	o := command(t, "-json", "-runs", "1", "-dir", module(t, files{
		"broken/broken.go": "pakage broken\n",
		"user/user.go":     "package user\n\nimport _ \"example.com/m/broken\"\n",
		"other/other.go":   "package other\n",
	}))
	require.Equal(t, cli.Failed, o.Status)
	require.Equal(t, 3, o.Report.Packages)
	require.Equal(t, 1, o.Report.Skipped)
	require.Equal(t, 1, o.Report.Errors)
	require.Regexp(t, `(?m)^broken/broken\.go:1:1: expected 'package'`, o.Stderr)
	require.Regexp(t, `(?m)^example\.com/m/user: skipped, because example\.com/m/broken failed`,
		o.Stderr)
}

func TestTypeErrorsKeepDependents(t *testing.T) {
	o := command(t, "-json", "-runs", "1", "-dir", module(t, files{
		"a/a.go": "package a\n\nvar V = 1\n\nfunc f() int { return \"body\" }\n",
		"b/b.go": "package b\n\nimport \"example.com/m/a\"\n\nvar W string = a.V\n",
	}))
	require.Equal(t, cli.Failed, o.Status)
	require.Equal(t, 2, o.Report.Errors)
	require.Zero(t, o.Report.Skipped)
	require.Regexp(t, `(?m)^a/a\.go:5:23: cannot use "body"`, o.Stderr)
	require.Regexp(t, `(?m)^b/b\.go:5:16: cannot use a\.V`, o.Stderr)
}

// withDependency is a module that imports one from another module.
func withDependency(dep string) files {
	return files{
		"go.mod":     "module example.com/m\n\ngo 1.26\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ./dep\n",
		"m.go":       "package m\n\nimport \"example.com/dep\"\n\nvar V int = dep.V\n",
		"dep/go.mod": "module example.com/dep\n\ngo 1.26\n",
		"dep/dep.go": dep,
	}
}

func TestErrorsElsewhereAreNotCounted(t *testing.T) {
	o := command(t, "-json", "-runs", "1", "-dir",
		module(t, withDependency("package dep\n\nvar V = 1\n\nvar s string = V\n")))
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Zero(t, o.Report.Errors)
	clitest.Line(t, o.Stderr, "not counted: 1 type errors in packages of other modules")
}

func TestFailureElsewhereSkips(t *testing.T) {
	o := command(t, "-json", "-runs", "1", "-dir",
		module(t, withDependency("package dep\n\nfunc (\n")))
	require.Equal(t, cli.Failed, o.Status)
	require.Zero(t, o.Report.Errors)
	require.Equal(t, 1, o.Report.Skipped)
	require.Regexp(t,
		`(?m)^example\.com/m: skipped, because example\.com/dep failed: example\.com/dep/dep\.go:`,
		o.Stderr)
}

func TestMissingImport(t *testing.T) {
	o := command(t, "-json", "-runs", "1", "-dir", module(t, files{
		"a/a.go": "package a\n\nimport _ \"example.com/m/nowhere\"\n",
		"b/b.go": "package b\n",
	}))
	require.Equal(t, cli.Failed, o.Status)
	require.Equal(t, 1, o.Report.Errors)
	require.Equal(t, 1, o.Report.Skipped)
	require.Regexp(t, `(?m)^a/a\.go:3:8: .*example\.com/m/nowhere`, o.Stderr)
	require.Regexp(t, `(?m)^example\.com/m/a: skipped, because example\.com/m/nowhere failed`,
		o.Stderr)
}

// A package of the module that no file of applies to this system is listed only if another
// imports it.
func TestPackageForAnotherSystem(t *testing.T) {
	fs := files{
		"cgo/c.go":  "package cgo\n\nimport \"C\"\n",
		"user/u.go": "package user\n",
	}
	require.Equal(t, cli.OK, command(t, "-runs", "1", "-dir", module(t, fs)).Status)
	fs["user/u.go"] += "\nimport _ \"example.com/m/cgo\"\n"
	o := command(t, "-json", "-runs", "1", "-dir", module(t, fs))
	require.Equal(t, cli.Failed, o.Status)
	require.Equal(t, 1, o.Report.Errors)
	require.Equal(t, 1, o.Report.Skipped)
	require.Contains(t, o.Stderr, "build constraints exclude all Go files")
}

func TestImportCycle(t *testing.T) {
	dir := module(t, files{
		"a/a.go": "package a\n\nimport _ \"example.com/m/b\"\n",
		"b/b.go": "package b\n\nimport _ \"example.com/m/c\"\n",
		"c/c.go": "package c\n\nimport _ \"example.com/m/a\"\n",
		"d/d.go": "package d\n\nimport _ \"example.com/m/a\"\n",
	})
	const want = "typecheck: import cycle: example.com/m/a imports example.com/m/b imports example.com/m/c imports example.com/m/a\n"
	for _, args := range [][]string{{"-dir", dir}, {"-dir", dir, "-json"}} {
		o := command(t, args...)
		require.Equal(t, cli.Failed, o.Status)
		require.Equal(t, want, o.Stderr)
	}
	require.Equal(t, 2, strings.Count(command(t, "-dir", dir).Stdout, "\n"), "what it begins with")
}

func TestNoModule(t *testing.T) {
	dir := module(t, sound)
	file := filepath.Join(dir, "top.go")
	for arg, want := range map[string]string{
		t.TempDir():                   "not a Go module",
		filepath.Join(dir, "nowhere"): "no such directory",
		filepath.Join(dir, "base"):    "not a Go module",
		file:                          "not a directory",
	} {
		o := command(t, "-dir", arg)
		require.Equal(t, cli.Failed, o.Status)
		clitest.Line(t, o.Stderr, "typecheck: -dir "+arg+": "+want)
		require.Empty(t, o.Stdout)
		require.Zero(t, command(t, "-json", "-dir", arg).Report.Packages)
	}
}

func TestUselessModule(t *testing.T) {
	o := command(t, "-dir", module(t, files{"go.mod": "modle example.com/m\n"}))
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "go.mod:1: unknown directive: modle")

	o = command(t, "-dir", module(t, files{}))
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, ": no Go packages in it")

	dir := module(t, sound)
	work := t.TempDir()
	write(t, work, "go.work", "go 1.26\n")
	t.Setenv("GOWORK", filepath.Join(work, "go.work"))
	o = command(t, "-dir", dir)
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "go.work")
}

func TestNoGoCommand(t *testing.T) {
	dir := module(t, sound)
	t.Setenv("PATH", t.TempDir())
	o := command(t, "-dir", dir)
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "executable file not found")
}

func TestValueOutOfRange(t *testing.T) {
	clitest.OutOfRange(t, "typecheck", command,
		"-workers 0", "-workers -1", "-workers 1000000", "-runs 0", "-runs=-3",
	)
}

func TestUsage(t *testing.T) {
	clitest.Misused(t, command, map[string]string{
		"-bogus":            "not defined: -bogus",
		"-workers many":     `invalid value "many" for flag -workers`,
		"-runs=":            `invalid value "" for flag -runs`,
		"-progress=perhaps": `invalid boolean value "perhaps" for -progress`,
		"-dir":              "flag needs an argument: -dir",
		"fmt":               `stray argument "fmt"`,
		"-workers 0 fmt":    `stray argument "fmt"`,
	})
}

func TestHelp(t *testing.T) {
	clitest.Help(t, command, "dir", "workers", "runs", "dot", "trace", "lanes", "profile", "json",
		"progress")
}

func TestDOT(t *testing.T) {
	dir := module(t, sound)
	file := filepath.Join(t.TempDir(), "graph.dot")
	require.Equal(t, cli.OK, command(t, "-dir", dir, "-runs", "1", "-dot", file).Status)
	dot, err := os.ReadFile(file)
	require.NoError(t, err)
	prerequisites := 0
	for line := range strings.Lines(string(dot)) {
		// A dotted one is of the path, where the body of one has waited for that of another.
		if strings.Contains(line, " -> ") && !strings.Contains(line, "style=dotted") {
			prerequisites++
		}
	}
	require.Equal(t, 5, prerequisites)
	require.Regexp(t,
		`(?m)^\tt\d+ \[label="example\.com/m/base\\n\d.*, (slack|critical)`, string(dot))
	require.Contains(t, string(dot), "penwidth=2", "there is a critical path")

	for _, flag := range []string{"-dot", "-lanes"} {
		o := command(t, "-dir", dir, flag, filepath.Join(dir, "nowhere", "graph.dot"))
		require.Equal(t, cli.Failed, o.Status)
		clitest.Line(t, o.Stderr, "typecheck: "+flag+": ")
	}
}

func TestLanes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lanes.svg")
	o := command(t, "-dir", module(t, sound), "-runs", "1", "-lanes", file)
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Contains(t, o.Stdout, "\nOpen "+file+" in a browser\n")
	lanes, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(lanes), "<svg")
	for _, name := range []string{"base", "left", "right"} {
		require.Contains(t, string(lanes), "example.com/m/"+name)
	}
}

func TestDOTShowsFailures(t *testing.T) {
	dir := module(t, files{
		"a/a.go": "package a\n\nfunc (\n",
		"b/b.go": "package b\n\nimport _ \"example.com/m/a\"\n",
		"c/c.go": "package c\n",
	})
	file := filepath.Join(t.TempDir(), "graph.dot")
	require.Equal(t, cli.Failed, command(t, "-dir", dir, "-runs", "1", "-dot", file).Status)
	dot, err := os.ReadFile(file)
	require.NoError(t, err)
	for name, failed := range map[string]bool{"a": true, "b": true, "c": false} {
		label := regexp.MustCompile(`label="example\.com/m/` + name + `\\n.*`)
		line := label.FindString(string(dot))
		require.NotEmpty(t, line, name)
		require.Equal(t, failed, strings.Contains(line, "dotted"), line)
	}
}

// What is recorded names each package, and the trace has both formats.
func TestTrace(t *testing.T) {
	dir := module(t, sound)
	for _, ending := range []string{".json", ".pb"} {
		file := filepath.Join(t.TempDir(), "run"+ending)
		o := command(t, "-dir", dir, "-runs", "2", "-trace", file)
		require.Equal(t, cli.OK, o.Status, o.Stderr)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, ending == ".json", json.Valid(text))
		for _, name := range []string{"base", "left", "right"} {
			require.Contains(t, string(text), "example.com/m/"+name)
		}
	}
	o := command(t, "-dir", dir, "-trace", "run.txt")
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "typecheck: -trace run.txt: want a name that ends in ")
	file := filepath.Join(t.TempDir(), "run.json")
	o = command(t, "-dir", dir, "-trace", file, "-dot", file)
	require.Equal(t, cli.Failed, o.Status)
	clitest.Line(t, o.Stderr, "typecheck: -dot and -trace name one file, ")
}

func TestProfile(t *testing.T) {
	o := command(t, "-dir", module(t, sound), "-runs", "1", "-profile")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Contains(t, o.Stdout, "example.com/m/base", "it is on the path, whatever the times")
	require.Contains(t, o.Stdout, "Critical path")
	o = command(t, "-dir", module(t, sound), "-runs", "1", "-profile", "-json")
	require.Equal(t, cli.OK, o.Status, o.Stderr)
	require.Contains(t, o.Stderr, "Critical path", "beside what is JSON")
}
