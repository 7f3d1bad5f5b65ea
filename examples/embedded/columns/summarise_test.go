package columns_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/embedded/columns"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// table makes a text of many blocks, and what is in it.
func table(lines int) (string, []columns.Summary) {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%d,,%d\n", i, -i)
	}
	n := float64(lines)
	sum := n * (n - 1) / 2
	return b.String(), []columns.Summary{
		{Count: lines, Sum: sum, Min: 0, Max: n - 1},
		{},
		{Count: lines, Sum: -sum, Min: -(n - 1), Max: 0},
	}
}

func TestAlone(t *testing.T) {
	for _, lines := range []int{1, 7, 50_000} {
		text, want := table(lines)
		got, err := columns.Summarise(t.Context(), nil, strings.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := columns.Summarise(t.Context(), nil, strings.NewReader(""))
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = columns.Summarise(t.Context(), nil, strings.NewReader("\n1\r\n3,2"))
	require.NoError(t, err)
	require.Equal(t, []columns.Summary{{2, 4, 1, 3}, {1, 2, 2, 2}}, got)
}

func TestOnSystem(t *testing.T) {
	sys := taskgraph.Start(taskgraph.Options{Workers: 3})
	text, want := table(100_000)
	got, err := columns.Summarise(t.Context(), sys, strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, sys.Shutdown(t.Context()))
}

// A body whose worker is the only one can summarise.
func TestNested(t *testing.T) {
	sys := taskgraph.Start(taskgraph.Options{Workers: 1})
	text, want := table(100_000)
	require.NoError(t, sys.Run(t.Context(), taskgraph.Run(func(c *taskgraph.Context) error {
		got, err := columns.Summarise(c, c, strings.NewReader(text))
		require.Equal(t, want, got)
		return err
	})))
	require.NoError(t, sys.Shutdown(t.Context()))
}

// In every order the blocks are merged in that of the text, and a failure is the first one there.
func TestInManyOrders(t *testing.T) {
	text, want := table(60_000)
	bad := text + "x\n" + strings.Repeat("1\n", 100_000) + "y\n"
	for seed := range uint64(8) {
		sys := taskgraph.Start(taskgraph.Options{
			Deterministic: &taskgraph.Deterministic{Seed: seed},
		})
		got, err := columns.Summarise(t.Context(), sys, strings.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, want, got, "seed %d", seed)
		_, err = columns.Summarise(t.Context(), sys, strings.NewReader(bad))
		require.ErrorContains(t, err, `column 1: strconv.ParseFloat: parsing "x"`, "seed %d", seed)
		require.NoError(t, sys.Shutdown(t.Context()), "the caller saw the failures")
	}
}

// A slow reader gives a second's worth of text at a time.
type slow struct {
	left int
	fail error
}

func (s *slow) Read(b []byte) (int, error) {
	time.Sleep(time.Second)
	if s.left--; s.left < 0 {
		return 0, s.fail
	}
	return copy(b, strings.Repeat("1,2\n", 1000)), nil
}

// Under synctest a second takes no time, and a goroutine that is left over fails the test.
func TestSlowReader(t *testing.T) {
	for _, c := range []struct {
		timeout time.Duration
		fail    error
		want    error
	}{
		{time.Hour, io.EOF, nil},
		{time.Hour, io.ErrClosedPipe, io.ErrClosedPipe},
		{30 * time.Second, io.EOF, context.DeadlineExceeded},
	} {
		synctest.Test(t, func(t *testing.T) {
			sys := taskgraph.Start(taskgraph.Options{Workers: 2, Park: sleepevent.ParkGo})
			ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
			defer cancel()
			got, err := columns.Summarise(ctx, sys, &slow{left: 100, fail: c.fail})
			if c.want == nil {
				require.NoError(t, err)
				require.Equal(t, 100_000, got[1].Count)
			} else {
				require.True(t, errors.Is(err, c.want), "%v", err)
			}
			require.NoError(t, sys.Shutdown(t.Context()), "nothing is left that failed unseen")
		})
	}
}
