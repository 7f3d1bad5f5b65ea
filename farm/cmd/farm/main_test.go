package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A server, a worker, and each command against them, as a user would run them.
func TestCommands(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	pr, pw := io.Pipe()
	end := make(chan error, 2)
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
		require.NoError(t, run(ctx, append(args, "-nats", url), &out, io.Discard))
		return out.String()
	}
	out := do("bench", "-n", "50")
	require.Contains(t, out, "one at a time")
	require.Contains(t, out, "50 at once")
	// On a busy machine the worker speaks later than it should, and the last job is still queued.
	status := func(want string) {
		late := time.Now().Add(time.Minute)
		for out = do("status"); !strings.Contains(out, want); out = do("status") {
			require.True(t, time.Now().Before(late), "%s", out)
		}
	}
	status("1 workers, 0 jobs queued, 100 results")
	require.Contains(t, out, "w1")
	watch(ctx, t, url)
	require.Contains(t, do("purge", "-results"), "purged")
	status("0 results")
	for _, wrong := range [][]string{{"purge", "-nats", url}, {"dance"},
		{"worker", "-nats", url, "-jobs", "rm"}} {
		require.Error(t, run(ctx, wrong, io.Discard, io.Discard), wrong)
	}
	cancel()
	require.NoError(t, <-end)
	require.NoError(t, <-end)
}

// watch looks at the status twice: the second time there are rates.
func watch(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	pr, pw := io.Pipe()
	end := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"status", "-watch", "-nats", url}, pw, io.Discard)
		end <- errors.Join(err, pw.Close())
	}()
	reports, rates := 0, 0
	for lines := bufio.NewScanner(pr); lines.Scan(); {
		if strings.Contains(lines.Text(), "1 workers") {
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
	require.NoError(t, <-end)
	require.GreaterOrEqual(t, reports, 2)
	require.Positive(t, rates)
}
