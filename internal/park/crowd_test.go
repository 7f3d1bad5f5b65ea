package park_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/park"
)

// TestCrowdHasABound: so many wait in the kernel at a time, however many have come and gone at
// once, and who comes after them waits in the Go scheduler.
func TestCrowdHasABound(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20_000 {
				park.Enter()
				park.Leave()
			}
		})
	}
	wg.Wait()
	for range 2 {
		for range park.MaxCrowd {
			require.Equal(t, park.OS, park.Enter())
		}
		require.Equal(t, park.Go, park.Enter())
		for range park.MaxCrowd + 1 {
			park.Leave()
		}
	}
}
