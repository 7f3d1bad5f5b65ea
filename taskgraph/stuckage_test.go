package taskgraph_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestStuckAgeIsThatOfTheBody: a task has been running since its body began, and not since a call
// that it has forked did.
func TestStuckAgeIsThatOfTheBody(t *testing.T) {
	hang.Watch(t)
	s := start(t, taskgraph.Options{Workers: 2, Sites: true})
	var began time.Time
	elsewhere, goOn := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(goOn) })
	t.Cleanup(release)
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		began = time.Now()
		for time.Since(began) < 20*time.Millisecond {
			atomics.Pause(10)
		}
		for is := false; !is; {
			j := c.Fork(func(in *taskgraph.Context, a *taskgraph.Args) {
				if in != c {
					a.A = 1
					close(elsewhere)
					<-goOn
				}
			}, taskgraph.Args{})
			atomics.Gosched()
			is = j.Wait().A == 1
		}
		return nil
	})).Launch()
	<-elsewhere
	least := time.Since(began)
	r := s.Stuck()
	require.Len(t, r.Tasks, 1)
	require.Equal(t, "executing", r.Tasks[0].State)
	require.GreaterOrEqual(t, r.Tasks[0].Age, least)
	release()
	wait(t, s, e)
}
