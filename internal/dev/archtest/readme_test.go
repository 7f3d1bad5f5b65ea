package archtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The front page has two programs: one that is complete, and the step of one.
func frontPagePrograms(t *testing.T) (shortest, step string) {
	page, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	parts := strings.Split(string(page), "```go\n")
	require.Len(t, parts, 3, "README.md has two Go programs")
	shortest, _, _ = strings.Cut(parts[1], "```\n")
	step, _, _ = strings.Cut(parts[2], "```\n")
	return shortest, step
}

// runs fails the test if a program does not print what is wanted.
func runs(t *testing.T, program, want string) {
	if runtime.GOOS == "js" {
		t.Log("no processes here")
		return
	}
	if testing.Short() {
		t.Skip("takes long to build")
	}
	// The go command is shown the program at a place of its own in the root module, always the
	// same: then it finds what it built of it before.
	temp := t.TempDir()
	file := filepath.Join(temp, "main.go")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	place := filepath.Join(root, "testdata", t.Name(), "main.go")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{place: file}})
	require.NoError(t, err)
	overlay := filepath.Join(temp, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	cmd := exec.Command("go", "run", "-overlay="+overlay, place)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, want, string(out))
}

// The program on the front page is short, with its error handled, and does what it seems to do.
func TestFrontPageProgramRuns(t *testing.T) {
	program, _ := frontPagePrograms(t)
	require.Less(t, strings.Count(program, "\n"), 14, "the shortest program has become long")
	require.Contains(t, program, "err != nil")
	runs(t, program, "warp\nweft\n")
}

// So is the step, and it ends when its context does.
func TestFrontPageStepRuns(t *testing.T) {
	_, step := frontPagePrograms(t)
	require.Less(t, strings.Count(step, "\n"), 15, "the step has become long")
	runs(t, `package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

`+step+`
func main() {
	ctx, stop := context.WithCancel(context.Background())
	sys := taskgraph.Start(taskgraph.Options{})
	var voices atomic.Int32
	voice := func() { voices.Add(1) }
	err := play(ctx, sys, voice, voice, func() {
		println("mixed", voices.Load())
		if voices.Load() == 6 {
			stop()
		}
	})
	println(errors.Is(err, context.Canceled))
	if err := sys.Shutdown(context.Background()); err != nil {
		println(err.Error())
	}
}
`, "mixed 2\nmixed 4\nmixed 6\ntrue\n")
}
