package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// Both libraries on one system find the same, however many workers it has and in every order.
func TestReport(t *testing.T) {
	run := func(o taskgraph.Options) string {
		sys := taskgraph.Start(o)
		var out bytes.Buffer
		require.NoError(t, report(t.Context(), sys, &out, 20_000))
		require.NoError(t, sys.Shutdown(t.Context()))
		return out.String()
	}
	one := run(taskgraph.Options{Workers: 1})
	require.Contains(t, one, "column 3: 20000 numbers")
	require.Equal(t, one, run(taskgraph.Options{Workers: 4}))
	for seed := range uint64(5) {
		require.Equal(t, one, run(taskgraph.Options{
			Deterministic: &taskgraph.Deterministic{Seed: seed},
		}), "seed %d", seed)
	}
}
