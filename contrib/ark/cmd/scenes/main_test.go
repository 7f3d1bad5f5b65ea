package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// TestScenes: each scene comes to the same in all ways, which the command checks, also where tables
// have several chunks.
func TestScenes(t *testing.T) {
	var out, errs bytes.Buffer
	args := []string{"-n", "100,5000", "-for", "1us", "-rounds", "2", "-workers", "2"}
	require.Equal(t, cli.OK, command().Run(t.Context(), args, &out, &errs), errs.String())
	require.Equal(t, 2+2*len(scenes), strings.Count(out.String(), "\n|"))
	require.Regexp(t, `\n\nCompared with Ark alone, Heddle was faster in \d+ of 14 rows[^\n]+\n`+
		`Compared with errgroup, [^\n]+\nCompared with its own schedule on one thread, [^\n]+\n`+
		`The worlds of all ways were equal in the end\.\n$`, out.String())
}

// The conclusion counts the scenes in which Heddle was ahead, level and behind.
func TestConclusion(t *testing.T) {
	var c conclusion
	row := func(name string, times ...time.Duration) {
		var all []*way
		for _, d := range times {
			all = append(all, &way{times: []time.Duration{d, d, d}})
		}
		c.add(name, all)
	}
	row("first", 200, 100, 101, 100)
	row("second", 100, 400, 90, 200)
	require.Equal(t, "Compared with Ark alone, Heddle was faster in 1 of 2 rows and slower in 1: "+
		"second (2.00 times as long).\n"+
		"Compared with errgroup, Heddle was faster in 1 of 2 rows, level (within 3 %) in 1 and "+
		"slower in none.\n"+
		"Compared with its own schedule on one thread, Heddle was faster in 0 of 2 rows, level "+
		"(within 3 %) in 1 and slower in 1: second (2.22 times as long).\n", c.text())
}
