//go:build heddle_faults && !modelcheck

package faults_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

// grinds has several goroutines grind, in each of the ways to sleep, and ends it all.
func grinds(t *testing.T, rounds int) {
	t.Helper()
	for _, park := range []sleepevent.Park{sleepevent.ParkOS, sleepevent.ParkGo} {
		for _, workers := range []int{1, 3} {
			m, end := newMill(taskgraph.Options{Workers: workers, Park: park},
				namedthread.Options{})
			stop := watch.Hangs(0, t.Name(), m.s)
			wrong := make([]error, 3)
			var all sync.WaitGroup
			for i := range wrong {
				all.Go(func() { wrong[i] = m.grind(short.Scaled(rounds)) })
			}
			all.Wait()
			for _, err := range wrong {
				require.NoError(t, err)
			}
			require.NoError(t, end())
			stop()
		}
	}
}
