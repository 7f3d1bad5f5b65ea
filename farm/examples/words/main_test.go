package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// The test program is the worker, too.
func TestMain(m *testing.M) {
	farm.WorkerMain(wordJobs())
	os.Exit(m.Run())
}

// The same words are counted in one process and by three worker processes, which find the results
// kept when they are asked again.
func TestWords(t *testing.T) {
	for _, workers := range []string{"0", "3"} {
		var out, errs bytes.Buffer
		args := []string{"-workers", workers, "-texts", "40"}
		require.Equal(t, cli.OK, command(wordJobs()).Run(t.Context(), args, &out, &errs),
			errs.String())
		require.Empty(t, errs.String())
		require.True(t, strings.HasPrefix(out.String(), "122340 words in 40 texts\n"), out.String())
		require.Contains(t, out.String(), "a plain loop")
		if workers == "3" {
			require.Contains(t, out.String(), "\n  40 jobs ran on a worker\n")
			require.Contains(t, out.String(), "\n  40 jobs: the farm had kept the result\n")
		} else {
			require.Contains(t, out.String(), " ran in this process, as ")
		}
		require.NotContains(t, out.String(), "forced:")
	}
}

// The conclusion says whether the farm was ahead, level or behind.
func TestConclusion(t *testing.T) {
	for _, c := range []struct {
		workers              int
		first, second        time.Duration
		wantFirst, wantAgain string
	}{
		{0, 50, 100, "With the jobs in this process, the farm was 2.00 times as fast as a plain " +
			"loop.", "The second time it was level with a plain loop (1.00 times as fast)."},
		{1, 300, 40, "With the jobs in 1 worker process, the farm was slower than a plain loop: it " +
			"took 3.00 times as long.", "The second time it was 2.50 times as fast as a plain " +
			"loop."},
		{3, 102, 150, "With the jobs in 3 worker processes, the farm was level with a plain loop " +
			"(0.98 times as fast).", "The second time it was slower than a plain loop: it took " +
			"1.50 times as long."},
	} {
		r := report{texts: 10, workers: c.workers, loop: pass{took: 100 * time.Millisecond},
			first:  pass{took: c.first * time.Millisecond},
			second: pass{took: c.second * time.Millisecond}}
		lines := r.conclusion()
		require.Equal(t, []string{c.wantFirst, c.wantAgain}, lines[:2])
		require.Contains(t, strings.Join(lines, "\n"), "10.00 ms")
		if c.workers > 0 {
			require.Contains(t, lines[2], fmt.Sprintf("a call of a worker %.2f ms on average",
				float64(c.first)/10))
		}
	}
}
