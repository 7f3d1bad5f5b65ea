package modelcheck_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

// Delays change when operations take effect, and nothing else.
func TestChaosChangesNoResult(t *testing.T) {
	modelcheck.Chaos(7, 2)
	defer modelcheck.Chaos(0, 0)
	var sum modelcheck.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 2000 {
				sum.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 8000, sum.Load())
}

// One goroutine gets the delays of its seed.
func TestChaosIsDrawnFromTheSeed(t *testing.T) {
	rolls := func(seed uint64) (all [20]uint32) {
		modelcheck.Chaos(seed, 0)
		for i := range all {
			all[i] = modelcheck.Roll()
		}
		return all
	}
	require.Equal(t, rolls(1), rolls(1))
	require.NotEqual(t, rolls(1), rolls(2))
}
