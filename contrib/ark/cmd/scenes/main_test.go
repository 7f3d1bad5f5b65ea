package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// TestScenes: each scene comes to the same in all ways, which compare checks, also where tables
// have several chunks.
func TestScenes(t *testing.T) {
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	var out bytes.Buffer
	require.NoError(t, compare(&out, sys, []int{100, 5000}, time.Microsecond, 2))
	require.Equal(t, 2+2*len(scenes), strings.Count(out.String(), "\n"))
	require.NoError(t, sys.Shutdown(context.Background()))
}
