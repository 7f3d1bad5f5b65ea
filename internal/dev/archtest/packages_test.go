package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// installed matches what .ci/run installs: what it adds to its list, and what it loops over.
	installed = regexp.MustCompile(
		`missing\+=\(([a-z0-9+. -]+)\)|for package in ((?:[a-z0-9+. \t-]|\\\n)+);`)
	// packageRow matches a row of a table of packages and reasons.
	packageRow  = regexp.MustCompile(`(?m)^\|([^|\n]+)\|([^|\n]*)\|$`)
	packageName = regexp.MustCompile("`([a-z0-9+.-]+)`")
)

// installedPackages returns what a script installs, in its order.
func installedPackages(script string) (names []string) {
	for _, m := range installed.FindAllStringSubmatch(script, -1) {
		names = append(names, strings.Fields(strings.ReplaceAll(m[1]+m[2], "\\\n", " "))...)
	}
	return names
}

// explainedPackages returns the packages in the first column of a section's table, and those that
// have no reason in the second.
func explainedPackages(page, section string) (names, bare []string) {
	_, text, _ := strings.Cut(page, "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, row := range packageRow.FindAllStringSubmatch(text, -1) {
		for _, name := range packageName.FindAllStringSubmatch(row[1], -1) {
			names = append(names, name[1])
			if strings.TrimSpace(row[2]) == "" {
				bare = append(bare, name[1])
			}
		}
	}
	return names, bare
}

// The table in CONTRIBUTING.md has each package that .ci/run installs, with what needs it, and no
// other package.
func TestInstalledPackagesAreExplained(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	want := installedPackages(string(script))
	require.NotEmpty(t, want)
	got, bare := explainedPackages(string(page), "What CI installs")
	require.Empty(t, bare, "the table in CONTRIBUTING.md does not say what needs these")
	require.ElementsMatch(t, want, got, "the table in CONTRIBUTING.md and .ci/run disagree")
}

func TestInstalledPackagesAreFound(t *testing.T) {
	require.Equal(t, []string{"g++", "gcc", "libc6-dev", "liba", "libb1.0", "c"}, installedPackages(
		"missing=()\nmissing+=(g++)\nx || missing+=(gcc libc6-dev)\n"+
			"for package in liba \\\n\t\tlibb1.0 c; do\n\tmissing+=(\"$package\")\ndone\n"))
	names, bare := explainedPackages("# A\n\n| `before` | x |\n\n## B\n\n| package | |\n"+
		"|---|---|\n| `a`, `b-dev` | `c` needs them |\n| `d` | |\n\n## C\n\n| `after` | x |\n", "B")
	require.Equal(t, []string{"a", "b-dev", "d"}, names)
	require.Equal(t, []string{"d"}, bare)
}
