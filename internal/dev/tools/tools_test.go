package tools_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// pinned lists the tools that the Makefile runs; each must be a tool of this module.
var pinned = []string{"golang.org/x/perf/cmd/benchstat", "honnef.co/go/tools/cmd/staticcheck"}

func TestEveryToolIsPinned(t *testing.T) {
	// The go command reads go.mod unseen; opening it here keeps a cached result honest.
	if _, err := os.ReadFile("go.mod"); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatalf("go mod edit -json: %v", err)
	}
	var mod struct{ Tool []struct{ Path string } }
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, tool := range mod.Tool {
		have[tool.Path] = true
	}
	for _, path := range pinned {
		if !have[path] {
			t.Errorf("go.mod has no tool directive for %s: run go get -tool %[1]s@VERSION here",
				path)
		}
	}
	if len(have) != len(pinned) {
		t.Errorf("go.mod pins %d tools, this test names %d: keep them in step", len(have),
			len(pinned))
	}
}

func TestPinnedToolsBuildAndRun(t *testing.T) {
	for _, path := range pinned {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			bin := filepath.Join(t.TempDir(), name)
			if runtime.GOOS == "windows" {
				bin += ".exe"
			}
			if out, err := exec.Command("go", "build", "-o", bin,
				path).CombinedOutput(); err != nil {
				t.Fatalf("go build %s: %v\n%s", path, err, out)
			}
			// Not every tool has a flag for its version, but all explain themselves.
			out, err := exec.Command(bin, "-h").CombinedOutput()
			if !strings.Contains(string(out), name) {
				t.Fatalf("%s -h: %v\n%s", name, err, out)
			}
		})
	}
}
