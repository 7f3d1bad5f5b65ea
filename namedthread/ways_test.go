package namedthread_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/ways"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/watch"
)

// errEnded stands for the failure of what ended its goroutine: a thread does not tell of that.
var errEnded = errors.New("ended")

// TestWaysToLeave lets a function leave in every way from every place that a started thread calls
// one from. The thread goes on, with the work that comes after it too, and Err has what it panicked
// with.
func TestWaysToLeave(t *testing.T) {
	inWork := func(f func(th *namedthread.Thread, w *ways.Way)) func(*testing.T,
		*namedthread.Thread, *ways.Way) {
		return func(t *testing.T, th *namedthread.Thread, w *ways.Way) {
			post(t, th, namedthread.Func(func() { f(th, w) }))
		}
	}
	local := func(th *namedthread.Thread, w *ways.Way) {
		_ = th.Post(localQ, normal, namedthread.Func(w.Do), 0)
	}
	for name, call := range map[string]func(t *testing.T, th *namedthread.Thread, w *ways.Way){
		"work":       inWork(func(_ *namedthread.Thread, w *ways.Way) { w.Do() }),
		"local work": inWork(local),
		"inner pump": inWork(func(th *namedthread.Thread, w *ways.Way) {
			local(th, w)
			_, _ = th.PumpUntilIdle(localQ)
		}),
		"under Wait": inWork(func(th *namedthread.Thread, w *ways.Way) {
			local(th, w)
			n := 0
			th.Wait(localQ, func() bool { n++; return n > 1 })
		}),
		"run first": inWork(func(th *namedthread.Thread, w *ways.Way) {
			local(th, w)
			th.Wait(mainQ, func() bool {
				return th.RunFirst(localQ, func(namedthread.Runnable, uint64) bool { return true })
			})
		}),
		"a condition": inWork(func(th *namedthread.Thread, w *ways.Way) {
			th.Wait(mainQ, func() bool { w.Do(); return true })
		}),
	} {
		t.Run(name, func(t *testing.T) {
			for i := range ways.All {
				w := &ways.All[i]
				stop := watch.Hangs(0, t.Name()+": "+w.Name)
				th := start(t, namedthread.Options{})
				call(t, th, w)
				for range 3 {
					ask(t, th, func() {})
					done := make(chan struct{})
					require.NoError(t, th.Post(localQ, normal,
						namedthread.Func(func() { close(done) }), 0))
					<-done
				}
				checkThread(t, th, w)
				stop()
			}
		})
	}
}

// checkThread requires that the thread tells of what panicked.
func checkThread(t *testing.T, th *namedthread.Thread, w *ways.Way) {
	t.Helper()
	err := th.Err()
	if err == nil && w.Ends {
		err = errEnded
	}
	require.NoError(t, w.Check(err, errEnded))
}

func TestWaysToLeavePoll(t *testing.T) {
	for i := range ways.All {
		w := &ways.All[i]
		stop := watch.Hangs(0, t.Name()+": "+w.Name)
		calls, polled := 0, make(chan struct{})
		th := start(t, namedthread.Options{PollEvery: time.Millisecond,
			Poll: func(*namedthread.Thread) {
				switch calls++; {
				case calls <= 3:
					w.Do()
				case calls == 4:
					close(polled)
				}
			}})
		<-polled
		ask(t, th, func() {})
		checkThread(t, th, w)
		stop()
	}
}

// TestWaysToLeaveOnPanic: Err has what OnPanic itself panics with.
func TestWaysToLeaveOnPanic(t *testing.T) {
	for i := range ways.All {
		w := &ways.All[i]
		stop := watch.Hangs(0, t.Name()+": "+w.Name)
		called := 0
		th := start(t, namedthread.Options{OnPanic: func(any, []byte) {
			called++
			w.Do()
		}})
		for range 3 {
			post(t, th, namedthread.Func(func() { panic("work") }))
			ask(t, th, func() {})
		}
		ask(t, th, func() { require.Equal(t, 3, called) })
		checkThread(t, th, w)
		stop()
	}
}

// TestWaysToLeaveCancelOn: a thread that quits cancels all that it has accepted.
func TestWaysToLeaveCancelOn(t *testing.T) {
	for i := range ways.All {
		w := &ways.All[i]
		stop := watch.Hangs(0, t.Name()+": "+w.Name)
		th, err := namedthread.NewRegistry().Start("Ways", namedthread.Options{})
		require.NoError(t, err)
		began, hold := make(chan struct{}), make(chan struct{})
		post(t, th, namedthread.Func(func() { close(began); <-hold }))
		<-began
		var cancelled atomics.Uint64
		for range 5 {
			post(t, th, cancelJob{cancel: func(*namedthread.Thread, uint64) {
				cancelled.Add(1)
				w.Do()
			}})
		}
		th.Quit()
		close(hold)
		<-th.Done()
		require.EqualValues(t, 5, cancelled.Load())
		checkThread(t, th, w)
		stop()
	}
}

// TestWaysToLeaveAttached: a Goexit ends the goroutine of an attached thread as any other, and
// nothing else: the next pump of a thread that is still there runs what is left.
func TestWaysToLeaveAttached(t *testing.T) {
	for i := range ways.All {
		w := &ways.All[i]
		stop := watch.Hangs(0, t.Name()+": "+w.Name)
		over := make(chan error)
		go func() {
			th, err := namedthread.NewRegistry().Attach("Ways", namedthread.Options{})
			if err != nil {
				over <- err
				return
			}
			defer func() {
				ran := false
				if err := th.Post(mainQ, normal, namedthread.Func(func() { ran = true }),
					0); err != nil {
					over <- err
					return
				}
				n, err := th.PumpUntilIdle(mainQ)
				if err == nil && (n != 1 || !ran) {
					err = errors.New("what came after it did not run")
				}
				over <- errors.Join(err, th.Detach())
			}()
			_ = th.Post(mainQ, normal, namedthread.Func(w.Do), 0)
			_, _ = th.PumpUntilIdle(mainQ)
		}()
		err := <-over
		if err == nil && w.Ends {
			err = errEnded
		}
		require.NoError(t, w.Check(err, errEnded))
		stop()
	}
}
