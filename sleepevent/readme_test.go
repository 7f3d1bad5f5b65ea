package sleepevent_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeNames: every name that the proof mentions still exists in the code, and every step
// that the code names is in the proof.
func TestReadmeNames(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var code strings.Builder
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			b, err := os.ReadFile(f)
			require.NoError(t, err)
			code.Write(b)
		}
	}
	names := 0
	for _, m := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(string(readme), -1) {
		require.Regexp(t, `\b`+m[1]+`\b`, code.String())
		names++
	}
	require.Greater(t, names, 30)
	for _, m := range regexp.MustCompile("`([a-z_]+[.]go)`").FindAllStringSubmatch(string(readme), -1) {
		require.FileExists(t, m[1])
	}
	for _, m := range regexp.MustCompile(`// .*?\b([A-C][1-7])\b`).FindAllStringSubmatch(code.String(), -1) {
		require.Contains(t, string(readme), "| "+m[1]+" |", "step %s", m[1])
	}
}
