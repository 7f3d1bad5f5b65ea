package taskgraph

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
)

func TestMissed(t *testing.T) {
	var m missed
	for end := int64(1_000_000); ; end += 20_000 {
		m.alone(end-16_000, end)
		if m.time.Load() >= worthAsleep {
			break
		}
		require.False(t, m.isDue(false))
	}
	require.True(t, m.isDue(false))
	require.False(t, m.isDue(false), "once")

	m = missed{}
	for end := int64(1_000_000); end < 100_000_000; end += 100_000 { // seldom: a tenth of the time
		m.alone(end-10_000, end)
		require.False(t, m.isDue(false))
	}
	m.alone(5, 10) // a clock that another processor was ahead of
	require.Positive(t, m.time.Load())
}

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
