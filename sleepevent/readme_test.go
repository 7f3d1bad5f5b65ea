package sleepevent_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeNames: every name that the proof mentions still exists in the code, and the steps
// that the code names are those of the proof.
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
	for _, m := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(string(readme),
		-1) {
		require.Regexp(t, `\b`+m[1]+`\b`, code.String())
		names++
	}
	require.Greater(t, names, 30)
	for _, m := range regexp.MustCompile("`([a-z_]+[.]go)`").FindAllStringSubmatch(string(readme),
		-1) {
		require.FileExists(t, m[1])
	}
	steps := map[string]bool{}
	for _, comment := range regexp.MustCompile(`// .*`).FindAllString(code.String(), -1) {
		for _, step := range regexp.MustCompile(`\b[ABCN][1-9]\b`).FindAllString(comment, -1) {
			require.Contains(t, string(readme), "| "+step+" |", "step %s", step)
			steps[step] = true
		}
	}
	for _, m := range regexp.MustCompile(`\| ([ABCN][1-9]) \|`).
		FindAllStringSubmatch(string(readme),
			-1) {
		require.True(t, steps[m[1]], "step %s is in no comment of the code", m[1])
	}
}
