package migration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// snippets returns what stands between fences on a page.
func snippets(page string) (list []string) {
	for i, part := range strings.Split("\n"+page, "\n```") {
		if i%2 == 1 {
			_, text, _ := strings.Cut(part, "\n")
			list = append(list, text)
		}
	}
	return list
}

// stands reports whether the lines of a snippet follow each other in a file, all of them, but for
// empty ones, moved to the right by the same.
func stands(snippet, file string) bool {
	want, lines := strings.Split(snippet, "\n"), strings.Split(file, "\n")
	for at := range lines {
		indent, ok := strings.CutSuffix(lines[at], want[0])
		if !ok || strings.Trim(indent, " \t") != "" {
			continue
		}
		for i, line := range want {
			if line != "" {
				line = indent + line
			}
			if at+i >= len(lines) || lines[at+i] != line {
				ok = false
				break
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// TestGuide finds each snippet of the guide in a file that is compiled and run.
func TestGuide(t *testing.T) {
	pages, err := filepath.Glob("../../docs/migration*.md")
	require.NoError(t, err)
	require.Len(t, pages, 2)
	var sources []string
	for _, pattern := range []string{"*_test.go", "native/*"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			sources = append(sources, string(text))
		}
	}
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, s := range snippets(string(text)) {
			found++
			is := false
			for _, source := range sources {
				is = is || stands(s, source)
			}
			require.True(t, is, "%s shows what stands in no file:\n%s", page, s)
		}
	}
	require.Greater(t, found, 20)
}

func TestStands(t *testing.T) {
	const file = "func f() {\n\tif x {\n\t\ta()\n\n\t\tb()\n\t}\n}\n"
	require.True(t, stands("a()\n\nb()", file))
	require.True(t, stands("if x {\n\ta()", file))
	for _, not := range []string{"a()\nb()", "a()\n\n\tb()", "x {", "a()\n\nb", "}\n}\n}", "c()"} {
		require.False(t, stands(not, file), not)
	}
	require.Equal(t, []string{"a\nb", "c"}, snippets("text\n```go\na\nb\n```\nmore\n```\nc\n```\n"))
}
