package heddlevet_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/heddle-go/heddle/contrib/heddlevet"
)

// The programs in testdata are a module that uses Heddle as it is in this repository, so a method
// that changes its name or its arguments fails these tests. A comment says what is wanted on its
// line; what a golden file holds is the program with all fixes, and has to compile.
func TestAnalyzers(t *testing.T) {
	for _, c := range []struct {
		analyzer *analysis.Analyzer
		packages []string
	}{
		{heddlevet.SelfWait, []string{"./selfwait"}},
		{heddlevet.LoopBuffer, []string{"./loopbuffer"}},
		{heddlevet.Dropped, []string{"./droppedfailure", "./droppedseen", "./droppedhook"}},
		{heddlevet.Blocking, []string{"./blockingbody"}},
		{heddlevet.ThreadWait, []string{"./threadwait"}},
	} {
		t.Run(c.analyzer.Name, func(t *testing.T) {
			dir := analysistest.TestData()
			analysistest.RunWithSuggestedFixes(t, dir, c.analyzer, c.packages...)
		})
	}
}

// The programs with all fixes compile.
func TestFixesCompile(t *testing.T) {
	goldens, err := filepath.Glob(filepath.Join(analysistest.TestData(), "*", "*.golden"))
	if err != nil || len(goldens) != len(heddlevet.Analyzers()) {
		t.Fatal("programs with fixes:", goldens, err)
	}
	fixed := map[string]string{}
	for _, name := range goldens {
		fixed[strings.TrimSuffix(name, ".golden")] = name
	}
	overlay, err := json.Marshal(map[string]any{"Replace": fixed})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay="+file, "./...")
	build.Dir = analysistest.TestData()
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Each analyzer has what the drivers ask for.
func TestAnalyzersAreValid(t *testing.T) {
	if err := analysis.Validate(heddlevet.Analyzers()); err != nil {
		t.Error(err)
	}
}

// The command runs under go vet: it finds mistakes, and none in programs that have none.
func TestVettool(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "heddlevet.exe")
	out, err := exec.Command("go", "build", "-o", tool, "./cmd/heddlevet").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	vet := func(dir, pattern string) (string, error) {
		cmd := exec.Command("go", "vet", "-vettool="+tool, pattern)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	found, err := vet(analysistest.TestData(), "./selfwait")
	if err == nil || !strings.Contains(found, "selfwait.go:11:20: the body waits for its own") {
		t.Errorf("%v\n%s", err, found)
	}
	if out, err := vet(filepath.Join("..", "..", "examples"), "./embedded/..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
