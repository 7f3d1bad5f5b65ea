package taskgraph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCostsRemember(t *testing.T) {
	var table costs
	entry, tag := table.at(0x401000)
	require.Zero(t, known(entry, tag), "nothing yet")
	learn(entry, tag, 0.5)
	require.Equal(t, 0.5, known(entry, tag))
	// An interruption moves it by a factor of 4 at most.
	learn(entry, tag, 1e6)
	require.Equal(t, 2., known(entry, tag))
	for range 60 {
		learn(entry, tag, 10_000)
	}
	require.InEpsilon(t, 10_000, known(entry, tag), 0.2)
	for range 60 {
		learn(entry, tag, 0)
	}
	require.Positive(t, known(entry, tag), "0 means unknown")
	learn(entry, tag, 1e30)
	// Other code on the same entry finds nothing, and takes it.
	_, other := table.at(0x402000)
	require.NotEqual(t, tag, other)
	require.Zero(t, known(entry, other))
	learn(entry, other, 7)
	require.Equal(t, 7., known(entry, other))
	require.Zero(t, known(entry, tag))
	// The largest there can be.
	entry, tag = table.at(^uintptr(0))
	learn(entry, tag, 1e30)
	require.Greater(t, known(entry, tag), 1e9)
}

func TestCodeIsSharedByClosures(t *testing.T) {
	var a, b int
	require.Equal(t, codeOf(counter(&a)), codeOf(counter(&b)))
	require.NotEqual(t, codeOf(counter(&a)), codeOf(func(lo, hi int) { b++ }))
}

//go:noinline
func counter(x *int) func(lo, hi int) { return func(lo, hi int) { *x += hi - lo } }
