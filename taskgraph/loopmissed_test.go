package taskgraph

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Loops of which none is worth a wake are shared when there are many after each other.
func TestLoopsInAChainWakeAHelper(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one P a worker may find nothing left each time")
	}
	s := Start(Options{Workers: 2, Idle: IdleSleep}) // so nobody is there in a moment
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	var helped atomics.Bool
	body := func(p *Participant, lo, hi int) error {
		if p.Index() > 0 {
			helped.Store(true)
		}
		for end := atomics.Now() + int64(hi-lo)*300; atomics.Now() < end; {
		}
		return nil
	}
	inside := s.Task(Run(func(c *Context) error {
		for !helped.Load() {
			if err := c.RunLoop(Loop{N: 64, Body: body}); err != nil {
				return err
			}
		}
		return nil
	})).Launch()
	require.NoError(t, s.WaitUntilTasksComplete(context.Background(), inside))
	for helped.Store(false); !helped.Load(); {
		require.NoError(t, s.RunLoop(Loop{N: 64, Body: body}))
	}
}
