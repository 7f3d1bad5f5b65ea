package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// Every command of every page is well formed, and so is the table.
func TestCommandsAreWellFormed(t *testing.T) {
	root, err := cli.ModuleRoot(module)
	require.NoError(t, err)
	p, err := planned(root)
	require.NoError(t, err)
	require.NotEmpty(t, p.run)
	for _, target := range []string{"make test-long", "make race", "make bench-quick"} {
		require.Contains(t, texts(p.steps), target)
	}
	for _, e := range table {
		require.Equal(t, e.how <= need, e.why == "", "%v: a reason", e.when)
	}
	require.FileExists(t, filepath.Join(root, ".ci", "run"))
}

func texts(all []*command) (found []string) {
	for _, c := range all {
		found = append(found, c.text)
	}
	return found
}

// project is a tree in which all commands are well formed.
var project = fstest.MapFS{
	"go.mod":     file("module " + module + "\n"),
	"Makefile":   file("test: ## run\n\tgo test $(PKG)\nnested/%:\n\ttrue\n"),
	".ci/run":    file("[ $# -gt 0 ] || set -- test \\\n\tfmt\nstep\n"),
	".ci/other":  file("echo $WITH\n"),
	"cmd/go.mod": file("module " + module + "/cmd\n"),
	"cmd/play/main.go": file("// Command play plays:\n//\n//\tgo -C cmd run ./play -n 3\n" +
		"package main\n\nimport _ \"" + module + "/flags\"\n\n" +
		"var usage = \"go -C cmd run ./play [flags]\"\n\nfunc f(fs fl) { fs.IntVar(&n, \"n\", 1, \"\") }\n"),
	"flags/flags.go":  file("package flags\n\nvar v = flag.Bool(\"v2\", false, \"\")\n"),
	"lib/lib_test.go": file("package lib\n\nfunc TestA(t T) {}\n\nfunc BenchmarkB(b B) {}\n"),
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func with(page string) fstest.MapFS {
	files := fstest.MapFS{"docs/page.md": file(page)}
	for name, f := range project {
		files[name] = f
	}
	return files
}

func TestExtract(t *testing.T) {
	all, err := extract(with("Run `make\ntest`, `go vet` or `go f()`.\n\n```\nmake test  # it\n" +
		"$ WITH=1 go test ./lib -run A \\\n    -count 1\nok lib\n```\n\n```go\ngo run ./cmd\n```\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"go -C cmd run ./play -n 3", "go -C cmd run ./play [flags]",
		"make test", "WITH=1 go test ./lib -run A -count 1", "go vet"}, texts(all))
	require.False(t, all[2].span, "it stands in a block too")
	require.Equal(t, "docs/page.md:5", all[2].at)
	require.True(t, all[4].names())
}

func TestWrong(t *testing.T) {
	tr, err := newTree(project)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"make test PKG=x nested/cmd":             "",
		"WITH=1 go -C cmd run -race ./play -n 3": "",
		"go -C cmd run ./play -v2 | cat":         "",
		"go test -run '^TestA$' ./lib":           "",
		"go test ./... -bench B -benchtime 2x":   "",
		"xvfb-run go vet":                        "",
		".ci/other all":                          "",
		"make tea":                               "no target tea",
		"make test WHICH=x":                      "does not use WHICH",
		"WITHOUT=1 go vet":                       "nothing reads WITHOUT",
		"go -C cmb run ./play":                   "no module cmb",
		"go run ./cmd/play":                      "no package ./cmd/play",
		"go run ./lib":                           "not a command",
		"go -C cmd run ./play -m 3":              "no flag -m",
		"go vet && go -C cmd run ./play -m":      "no flag -m",
		"go test -rum A ./lib":                   "no flag -rum",
		"go test -run B ./lib":                   "no test matches -run B",
		"go test ./lib -bench A":                 "no test matches -bench A",
		".ci/none":                               "no .ci/none",
	} {
		if why := tr.wrong(text); want == "" || !strings.Contains(why, want) {
			require.Equal(t, want, why, text)
		}
	}
}

func TestPlan(t *testing.T) {
	tr, err := newTree(project)
	require.NoError(t, err)
	all, err := extract(with("`make test`, `make nested/NAME`, `make nested/slow`, `make fmt`, " +
		"`make nested/never`, `go vet`, `make nested/long`\n"))
	require.NoError(t, err)
	tr.makefile += "fmt:\n"
	p, wrong := newPlan(tr, all[2:], []entry{
		{fill, re("NAME"), "a", ""}, {need, re("NAME"), "true", ""},
		{smaller, re("slow$"), "quick", ""}, {interrupted, re("long$"), "", ""},
		{never, re("never"), "", "no time"}, {never, re("gone"), "", "why"},
	}, string(project[".ci/run"].Data))
	require.Len(t, wrong, 1)
	require.Contains(t, wrong[0], "no page has a command that matches gone")
	require.Equal(t, []string{"make test", "make fmt"}, texts(p.steps))
	require.Equal(t, []string{"go vet"}, texts(p.names))
	require.Equal(t, "no time", p.not[0].why)
	require.Len(t, p.run, 3)
	require.Equal(t, "true; make nested/a", p.run[0].line)
	require.Equal(t, "make nested/quick", p.run[1].line)
	require.True(t, p.run[2].interrupt)
	_, wrong = newPlan(tr, []*command{{text: "make nested/NAME"}, {text: "make tea"}}, nil, "")
	require.Len(t, wrong, 2)
	require.Contains(t, wrong[0], "nothing for /NAME")
}

// What a command prints is shown if it fails, and one without an end is interrupted.
func TestRun(t *testing.T) {
	if _, err := os.Stat("/usr/bin/timeout"); err != nil {
		t.Skip("needs timeout: ", err)
	}
	o := options{dir: t.TempDir(), limit: 1 << 36, while: 1 << 29}
	call := func(line string, interrupt bool) (string, error) {
		return o.run(t.Context(), run{line: line, interrupt: interrupt}, "folder")
	}
	out, err := call("echo $T", false)
	require.NoError(t, err)
	require.Equal(t, "folder\n", out)
	out, err = call("echo why; false; echo not", false)
	require.Error(t, err)
	require.Equal(t, "why\n", out)
	_, err = call("false | true", false)
	require.Error(t, err)
	_, err = call("cat <(sleep 1000)", true)
	require.NoError(t, err)
	_, err = call("echo FAIL; sleep 1000", true)
	require.Error(t, err)
	_, err = call("false", true)
	require.Error(t, err)
	o.limit = 1
	_, err = call("sleep 1000", false)
	require.Error(t, err)
}
