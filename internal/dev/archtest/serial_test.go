package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// starters are packages with which code can have others run beside it.
var starters = []string{"sync", "net/http", "testing/synctest"}

// The packages that make race leaves out start no goroutine by themselves, and neither do their
// tests.
func TestWhatIsNotRacedIsSerial(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^SERIAL := (.+)$`).FindSubmatch(text)
	require.NotNil(t, found, "the Makefile has no SERIAL")
	packages := strings.Fields(string(found[1]))
	require.NotEmpty(t, packages)
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, pkg)
		for _, file := range files {
			syntax, err := parser.ParseFile(token.NewFileSet(), file, nil,
				parser.SkipObjectResolution)
			require.NoError(t, err)
			require.False(t, concurrent(syntax), "%s starts goroutines: take %s off SERIAL", file,
				pkg)
		}
	}
}

// concurrent reports whether a file can have goroutines started.
func concurrent(file *ast.File) (found bool) {
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		found = found || slices.Contains(starters, path) || strings.Contains(path, "/taskgraph")
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.SelectorExpr)
			found = found || ok && slices.Contains([]string{"Go", "Parallel", "AfterFunc"},
				called.Sel.Name)
		}
		return true
	})
	return found
}

// The test above can fail.
func TestConcurrentIsSeen(t *testing.T) {
	for body, want := range map[string]bool{
		"package p\nfunc f() { go f() }":             true,
		"package p\nfunc f() { w.Go(f) }":            true,
		"package p\nfunc f() { t.Parallel() }":       true,
		"package p\nimport \"sync\"\nvar m sync.Map": true,
		"package p\nfunc f() { w.Do(f) }":            false,
	} {
		syntax, err := parser.ParseFile(token.NewFileSet(), "", body, 0)
		require.NoError(t, err)
		require.Equal(t, want, concurrent(syntax), body)
	}
}
