package tick_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/dev/ways"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/tick"
)

// TestWaysToLeave lets a function leave in every way, on a worker, on a thread, and in a loop. The
// frame tells of the failure, and in the next frame all tick again.
func TestWaysToLeave(t *testing.T) {
	for _, onThread := range []bool{false, true} {
		for i := range ways.All {
			w := &ways.All[i]
			t.Run(w.Name, func(t *testing.T) {
				reg := namedthread.NewRegistry()
				th, err := reg.Start("Ways", namedthread.Options{})
				require.NoError(t, err)
				defer func() { th.Quit(); <-th.Done() }()
				sys := start(t, taskgraph.Options{Workers: 2, Threads: reg})
				o := groups(2)
				if onThread {
					o.Thread = th
				}
				s := tick.New(sys, o)
				leave, ran := true, 0
				bad := s.Add(tick.Function{Name: "bad",
					Run: func(*taskgraph.Context, time.Duration) error {
						if leave {
							return w.Leave()
						}
						return nil
					}})
				s.Add(tick.Function{Name: "after", After: []*tick.Tick{bad}, End: 1,
					Run: func(*taskgraph.Context, time.Duration) error {
						ran++
						return nil
					}})
				for range 2 {
					ran = 0
					require.NoError(t, s.StartFrame(ms))
					err := s.EndFrame(bg)
					require.NoError(t, w.Check(err, graphevent.ErrGoexit))
					require.Equal(t, err == nil, ran == 1)
				}
				leave, ran = false, 0
				require.NoError(t, s.StartFrame(ms))
				require.NoError(t, s.EndFrame(bg))
				require.Equal(t, 1, ran)
				require.NoError(t, sys.Rendezvous(bg, func(int, *namedthread.Thread) {}))
			})
		}
	}
}
