package archtest

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shownPrograms returns the Go programs of a page. Each is followed by a block with its output.
func shownPrograms(page string) ([]shownProgram, error) {
	var programs []shownProgram
	parts := strings.Split(page, "```go\n")
	for _, part := range parts[1:] {
		text, rest, _ := strings.Cut(part, "```\n")
		rest, found := strings.CutPrefix(rest, "\n```text\n")
		output, _, ended := strings.Cut(rest, "```\n")
		if !found || !ended {
			return nil, fmt.Errorf("no block with its output follows the program\n%s", text)
		}
		programs = append(programs, shownProgram{text, output})
	}
	return programs, nil
}

// figure is a number with its unit of time, which another run prints differently.
var figure = regexp.MustCompile(`\d+(\.\d+)?(ns|µs|ms|s\b)?`)

// printed returns an error if what a program printed has other words than the page shows. Figures
// may differ.
func (p shownProgram) printed(output string) error {
	if figure.ReplaceAllString(output, "#") != figure.ReplaceAllString(p.output, "#") {
		return fmt.Errorf("the program prints\n%s\nand README.md shows\n%s", output, p.output)
	}
	return nil
}

// Each program of the README compiles as it stands there and prints what the README shows, but for
// the figures.
func TestFrontPagePrograms(t *testing.T) {
	page, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	programs, err := shownPrograms(string(page))
	require.NoError(t, err)
	require.Len(t, programs, 3, "a loop, tasks, and a step")
	for i, p := range programs {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			withProcesses(t)
			t.Parallel()
			output, err := p.run(t, ".")
			require.NoError(t, err)
			require.NoError(t, p.printed(output))
		})
	}
}

func TestShownPrograms(t *testing.T) {
	const page = "Text.\n\n```go\npackage main\n```\n\n```text\n1.5 times, 2.5ms, 3 files\n```\n"
	programs, err := shownPrograms(page)
	require.NoError(t, err)
	require.Equal(t, []shownProgram{{"package main\n", "1.5 times, 2.5ms, 3 files\n"}}, programs)
	require.NoError(t, programs[0].printed("0.75 times, 12.25µs, 4 files\n"))
	require.Error(t, programs[0].printed("1.5 times, 2.5ms, 3 files\nfailed\n"))
	require.Error(t, programs[0].printed("1.5 times, 2.5ms, 3 lines\n"))
	for _, without := range []string{"```text\n", "\n```text\n1.5 times, 2.5ms, 3 files\n```\n"} {
		_, err := shownPrograms(strings.Replace(page, without, "", 1))
		require.ErrorContains(t, err, "no block with its output follows", without)
	}
}

// The section "Try it" prints two commands, which make readme runs in a fresh clone, and what CI
// runs has that target.
func TestFrontPageCommands(t *testing.T) {
	withProcesses(t)
	list := exec.Command("bash", "../../../.ci/readme", "-list")
	out, err := list.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, 2, strings.Count(string(out), "\n"), "%s", out)
	require.Contains(t, string(out), "go test ./...\n")
	ci, err := os.ReadFile("../../../.ci/run")
	require.NoError(t, err)
	require.Regexp(t, `\breadme\b`, string(ci))
}
