package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestTables makes each table with few jobs: all systems give the results of the job, and nothing
// is left behind.
func TestTables(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // so that those of other tests are not counted
	before := temporary(t)
	for what, rows := range map[string][]string{
		"calls": {"|  | p50 | p99 |", "| farm, cluster of three |"},
		"rate":  {"| worker processes | farm", "| 1 |"},
		"size":  {"| bytes in and out | farm", "| 64 |", "| 786432 |"},
		"build": {"|  | time | speed-up |", "| farm, what another machine has built |"},
	} {
		args := strings.Fields("-rounds 1 -jobs 3 -processes 1 -for 1m -what " + what)
		var stdout, stderr strings.Builder
		status := program().Run(t.Context(), args, &stdout, &stderr)
		require.Equal(t, cli.OK, status, "%s: %s", what, &stderr)
		for _, row := range rows {
			require.Contains(t, stdout.String(), row)
		}
		_, err := exec.LookPath("redis-server")
		require.Equal(t, err == nil && what != "build",
			strings.Contains(stdout.String(), "Asynq"), what)
	}
	require.Equal(t, before, temporary(t))
}

// temporary returns how many directories of benches there are.
func temporary(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	n := 0
	for _, d := range all {
		if strings.HasPrefix(d.Name(), "heddle-bench-") {
			n++
		}
	}
	return n
}

func TestRefused(t *testing.T) {
	for _, args := range []string{"-what nothing", "-rounds 0", "-jobs 0", "-jobs 20001",
		"-processes 17", "-for 0s"} {
		var out strings.Builder
		require.Equal(t, cli.Failed, program().Run(t.Context(), strings.Fields(args), &out, &out),
			args)
		require.Contains(t, out.String(), "bench: "+strings.Fields(args)[0], args)
	}
	require.Equal(t, []int{1, 2, 4, 8, 16}, powers(16))
	require.Equal(t, "12.3 ms 999 µs", fmt.Sprint(micros(12_340_000), " ", micros(999_999)))
}
