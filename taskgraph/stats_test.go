package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// TestStatsQueued looks from the body that keeps the only worker busy, so that what it launches
// waits: unless the body is off its processor for so long that a spare worker steps in. So it is
// tried some times.
func TestStatsQueued(t *testing.T) {
	t.Parallel()
	want := [5]int{
		taskgraph.PriorityNormal: 3, taskgraph.PriorityHigh: 2, taskgraph.PriorityBackgroundLow: 1,
	}
	s := start(t, taskgraph.Options{Workers: 1})
	var got taskgraph.Stats
	for range 100 {
		err := s.Run(t.Context(), taskgraph.Run(func(c *taskgraph.Context) error {
			var all []taskgraph.Event
			for p, n := range want {
				for range n {
					body := taskgraph.Do(func() {})
					all = append(all, c.Task(body).Priority(taskgraph.Priority(p)).Launch())
				}
			}
			got = s.Stats()
			return c.Wait(all...)
		}))
		require.NoError(t, err)
		if got.Queued == want {
			require.Positive(t, got.Active)
			return
		}
	}
	t.Fatalf("%v are queued, not %v", got.Queued, want)
}
