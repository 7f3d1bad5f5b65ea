package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/clitest"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) { watch.Main(m) }

// files are the contents of a module by path. A go.mod is added if there is none.
type files map[string]string

// module writes a module example.com/m and shields the go command from the settings of
// whoever runs the tests, and from the network.
func module(t *testing.T, fs files) string {
	t.Helper()
	for name, value := range map[string]string{
		"GOFLAGS": "", "GOWORK": "off", "GO111MODULE": "", "GOPROXY": "off", "GOTOOLCHAIN": "local",
	} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	if _, ok := fs["go.mod"]; !ok {
		write(t, dir, "go.mod", "module example.com/m\n\ngo 1.26\n")
	}
	for name, content := range fs {
		write(t, dir, name, content)
	}
	return dir
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
}

// command calls the command in this process.
func command(t *testing.T, args ...string) clitest.Outcome[report] {
	t.Helper()
	return clitest.Call[report](t, typechecker(), args...)
}

// runners are the three, the graph with few and with many workers.
var runners = []runner{
	{"serial", runSerial},
	{"graph-1", func(p *pass) error { return runGraph(p, 1, p.g.ranks(), nil) }},
	{"graph-2", func(p *pass) error { return runGraph(p, 2, p.g.ranks(), nil) }},
	{"graph-16", func(p *pass) error { return runGraph(p, 16, p.g.ranks(), nil) }},
	{"goroutines", runGoroutines},
}

// loaded loads a module, which must succeed.
func loaded(t *testing.T, dir string) *graph {
	t.Helper()
	g, err := load(t.Context(), dir)
	require.NoError(t, err)
	return g
}

// passed runs one pass.
func passed(t *testing.T, g *graph, r runner) *pass {
	t.Helper()
	p := newPass(t.Context(), g)
	require.NoError(t, r.run(p))
	return p
}

// result returns what became of the package with the given path.
func (p *pass) result(t *testing.T, path string) *result {
	t.Helper()
	for i := range p.g.pkgs {
		if p.g.pkgs[i].path == path {
			return &p.results[i]
		}
	}
	require.Failf(t, "not in the graph", "package %s", path)
	return nil
}
