package park_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/park"
)

// TestInterrupted sends signals to a waiting thread. SIGURG is the one that the runtime uses
// for itself and ignores when it did not send it.
func TestInterrupted(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		p := park.New(mode)
		thread := make(chan int)
		got := make(chan bool)
		for _, limit := range []time.Duration{-1, time.Hour} {
			go func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				thread <- unix.Gettid()
				if limit < 0 {
					p.Park()
					got <- true
				} else {
					got <- p.ParkTimeout(limit)
				}
			}()
			tid := <-thread
			hang.Await(p.Waiting)
			for range 200 {
				require.NoError(t, unix.Tgkill(unix.Getpid(), tid, unix.SIGURG))
				runtime.Gosched()
			}
			require.True(t, p.Waiting(), "a signal is no permit")
			p.Unpark()
			require.True(t, <-got)
		}
	})
}
