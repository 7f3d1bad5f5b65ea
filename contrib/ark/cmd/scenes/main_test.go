package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// TestScenes: each scene comes to the same in all ways, which the command checks, also where tables
// have several chunks.
func TestScenes(t *testing.T) {
	var out, errs bytes.Buffer
	args := []string{"-n", "100,5000", "-for", "1us", "-rounds", "2", "-workers", "2"}
	require.Equal(t, cli.OK, command().Run(t.Context(), args, &out, &errs), errs.String())
	require.Equal(t, 2+2*len(scenes), strings.Count(out.String(), "\n"))
}
