package debug_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/debug"
)

func TestFailuresKeepsTheLast(t *testing.T) {
	t.Parallel()
	var f debug.Failures
	last, n := f.Last()
	require.Empty(t, last)
	require.Zero(t, n)
	for i := range 100 {
		f.Add(fmt.Sprint(i), errors.New("no"))
		last, n = f.Last()
		require.Equal(t, uint64(i+1), n)
		require.Len(t, last, min(i+1, 64))
		for k, x := range last {
			require.Equal(t, fmt.Sprint(i-k), x.Task)
		}
	}
	last, n = (*debug.Failures)(nil).Last()
	require.Empty(t, last)
	require.Zero(t, n)
}

func TestFailuresOfMany(t *testing.T) {
	t.Parallel()
	var f debug.Failures
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				f.Add("x", errors.New("no"))
				f.Last()
			}
		})
	}
	wg.Wait()
	_, n := f.Last()
	require.Equal(t, uint64(800), n)
}
