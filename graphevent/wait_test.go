package graphevent_test

import (
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
