package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program on the front page is short, and does what it seems to do.
func TestFrontPageProgramRuns(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Log("no processes here")
		return
	}
	page, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "```go\n")
	require.True(t, ok, "README.md has no Go program")
	program, _, _ := strings.Cut(rest, "```\n")
	require.Less(t, strings.Count(program, "\n"), 12, "the shortest program has become long")

	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	out, err := exec.Command("go", "run", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "warp\nweft\n", string(out))
}
