package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

func TestMiddle(t *testing.T) {
	for _, times := range [][]time.Duration{{3}, {9, 3}, {3, 1, 9}, {9, 1, 3, 5}} {
		m := measurement{parallel: times}
		want := 0
		for i, d := range times {
			m.traces = append(m.traces, &trace.Snapshot{})
			if d == 3 {
				want = i
			}
		}
		require.Same(t, m.traces[want], m.middle())
	}
}

func TestMedian(t *testing.T) {
	require.Zero(t, median(nil))
	require.Equal(t, time.Duration(3), median([]time.Duration{3}))
	require.Equal(t, time.Duration(2), median([]time.Duration{1, 3}))
	unsorted := []time.Duration{9, 1, 5}
	require.Equal(t, time.Duration(5), median(unsorted))
	require.Equal(t, []time.Duration{9, 1, 5}, unsorted)
}
