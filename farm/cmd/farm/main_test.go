package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/internal/dev/cli"
	stresswatch "github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) { stresswatch.Main(m) }

// A server, a worker, and each command against them, as a user would run them.
func TestCommands(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	pr, pw := io.Pipe()
	end := make(chan int, 2)
	go func() { end <- run(ctx, []string{"serve"}, pw, io.Discard) }()
	url, err := bufio.NewReader(pr).ReadString('\n')
	require.NoError(t, err)
	url = strings.TrimSpace(url)
	go func() {
		args := []string{"worker", "-nats", url, "-id", "w1", "-jobs", "echo,spin"}
		end <- run(ctx, args, io.Discard, io.Discard)
	}()
	do := func(args ...string) string {
		var out bytes.Buffer
		require.Equal(t, cli.OK, run(ctx, append(args, "-nats", url), &out, io.Discard))
		return out.String()
	}
	out := do("bench", "-n", "50")
	require.Contains(t, out, "one at a time")
	require.Contains(t, out, "50 at once")
	require.Contains(t, out, "\nA job that does nothing takes ")
	// On a busy machine the worker speaks later than it should, and the last job is still queued.
	status := func(want string) {
		late := time.Now().Add(time.Minute)
		for out = do("status"); !strings.Contains(out, want); out = do("status") {
			require.True(t, time.Now().Before(late), "%s", out)
		}
	}
	status("1 worker, 0 jobs queued, 100 results")
	require.Contains(t, out, "w1")
	watch(ctx, t, url)
	require.Contains(t, do("purge", "-results"), "purged")
	status("0 results")
	cancel()
	// The server was interrupted, which is how it ends; a worker has then done its duty.
	require.ElementsMatch(t, []int{cli.Failed, cli.OK}, []int{<-end, <-end})
}

// Each mistake is one line that says what to do.
func TestMistakes(t *testing.T) {
	t.Setenv(farm.EnvURL, "")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"dance", cli.Usage, `farm: no command "dance" (-h lists them)`},
		{"status", cli.Failed, "farm status: no server: give its URL by -nats or HEDDLE_FARM_URL; " +
			"farm serve starts one for trials and prints its URL"},
		{"worker", cli.Failed, "farm worker: no server: give its URL by -nats or HEDDLE_FARM_URL; " +
			"farm serve starts one for trials and prints its URL"},
		{"purge -results", cli.Failed, "farm purge: no server: give its URL by -nats or " +
			"HEDDLE_FARM_URL; farm serve starts one for trials and prints its URL"},
		{"purge", cli.Failed, "farm purge: nothing to remove: give -queued, -results or -dead"},
		{"status -dead -1", cli.Failed, "farm status: -dead -1: want 0 or more"},
		{"bench -n 0", cli.Failed, "farm bench: -n 0: want 1 to 1000000"},
		{"bench -size 15", cli.Failed, "farm bench: -size 15: want 16 to 67108864"},
		{"bench stray", cli.Usage, `farm bench: stray argument "stray" (-h lists the flags)`},
	} {
		var out, log bytes.Buffer
		require.Equal(t, c.status, run(t.Context(), strings.Fields(c.args), &out, &log), c.args)
		require.Equal(t, c.want+"\n", log.String(), c.args)
		require.Empty(t, out.String(), c.args)
	}
	var log bytes.Buffer
	require.Equal(t, cli.Failed, run(t.Context(), []string{"worker", "-jobs", "rm"}, nil, &log))
	require.Contains(t, log.String(), `farm worker: `)
	for status, args := range map[int][]string{cli.Usage: nil, cli.OK: {"-h"}} {
		log.Reset()
		require.Equal(t, status, run(t.Context(), args, nil, &log))
		require.Equal(t, usage, log.String())
	}
}

// What bench prints is computed from what it measured.
func TestCosts(t *testing.T) {
	c := costs{took: []time.Duration{4 * time.Millisecond, 1 * time.Millisecond,
		2 * time.Millisecond}, all: 100, passed: 50 * time.Millisecond}
	require.Equal(t, "one at a time: p50 2ms, p99 4ms\n100 at once: 2000 jobs/s, 500µs each\n\n"+
		"A job that does nothing takes 2ms from the call to its result; with many on their way, "+
		"one\nends every 500µs. A job that computes for 20ms spends a tenth of its time on the "+
		"farm; a\nmuch shorter one is better run in the process that needs it.\n", c.text())
}

// watch looks at the status twice: the second time there are rates.
func watch(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	pr, pw := io.Pipe()
	end := make(chan int, 1)
	go func() {
		status := run(ctx, []string{"status", "-watch", "-nats", url}, pw, io.Discard)
		_ = pw.Close() // it never fails
		end <- status
	}()
	reports, rates := 0, 0
	for lines := bufio.NewScanner(pr); lines.Scan(); {
		if strings.Contains(lines.Text(), "1 worker,") {
			reports++
		}
		if f := strings.Fields(lines.Text()); len(f) > 6 && f[0] == "w1" {
			if _, err := strconv.ParseFloat(f[6], 64); err == nil {
				rates++
			}
		}
		if rates > 0 {
			cancel()
		}
	}
	cancel()
	require.Equal(t, cli.Failed, <-end) // interrupted
	require.GreaterOrEqual(t, reports, 2)
	require.Positive(t, rates)
}
