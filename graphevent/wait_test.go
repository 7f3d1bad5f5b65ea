package graphevent_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

// TestManyWaiters: goroutines that wait for an event take no thread each.
func TestManyWaiters(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no processes")
	}
	const child = "HEDDLE_MANY_WAITERS"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestManyWaiters$")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%.2000s", out) // thread exhaustion ends the process
		return
	}
	debug.SetMaxThreads(100)
	s := graphevent.NewStore(graphevent.Options{})
	e := s.NewEvent()
	var begun atomics.Int32
	var wg sync.WaitGroup
	const waiters = 2000
	for range waiters {
		wg.Go(func() {
			begun.Add(1)
			if err := e.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	for begun.Load() < waiters {
		atomics.Gosched()
	}
	for range 1000 {
		atomics.Gosched() // those that have begun come to their sleep
	}
	e.Trigger()
	wg.Wait()
}

// TestWaitInBubble: who waits for an event is durably blocked for testing/synctest.
func TestWaitInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := graphevent.NewStore(graphevent.Options{}).NewEvent()
		start := time.Now()
		go func() {
			time.Sleep(time.Hour)
			e.Trigger()
		}()
		require.NoError(t, e.Wait(t.Context()))
		require.Equal(t, time.Hour, time.Since(start))
	})
}

// TestWaitGetsTheFailure: who waited for an event that failed gets that failure, though others that
// failed before it was woken made the store, and the node, forget it.
func TestWaitGetsTheFailure(t *testing.T) {
	for failures := range 4 {
		synctest.Test(t, func(t *testing.T) {
			s := graphevent.NewStore(graphevent.Options{MaxFailures: 1})
			e := s.NewEvent()
			e.OnComplete(func(error) { // before the waiter is woken
				for range failures {
					s.NewEvent().Fail(errors.New("another"))
				}
			})
			got := make(chan error)
			go func() { got <- e.Wait(context.Background()) }()
			synctest.Wait()
			e.Fail(errBoom)
			require.Equal(t, errBoom, <-got)
		})
	}
}

// TestWaitThatHasEnded: a wait whose context has ended leaves nothing with the event.
func TestWaitThatHasEnded(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	e := s.NewEvent()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBoom)
	made, free := s.Nodes()
	for range 1000 {
		require.Equal(t, errBoom, e.Wait(ctx))
	}
	now, left := s.Nodes()
	require.Equal(t, [2]int{made, free}, [2]int{now, left})
	require.True(t, e.Trigger())
	require.NoError(t, e.Wait(ctx), "complete, whatever the context")
}
