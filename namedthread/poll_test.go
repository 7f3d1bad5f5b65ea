package namedthread_test

import (
	"errors"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
)

// TestPollWakesSleepingPump: in a bubble the clock is exact.
func TestPollWakesSleepingPump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []time.Duration
		begin := time.Now()
		th, err := namedthread.NewRegistry().Start("Window", namedthread.Options{
			Park:      sleepevent.ParkGo,
			PollEvery: 16 * time.Millisecond,
			Poll: func(th *namedthread.Thread) {
				calls = append(calls, time.Since(begin))
				if len(calls) == 4 {
					th.Quit()
				}
			},
		})
		require.NoError(t, err)
		<-th.Done()
		const ms = time.Millisecond
		require.Equal(t, []time.Duration{0, 16 * ms, 32 * ms, 48 * ms}, calls)
	})
}

// TestPollAndTimeBudget: whichever comes first ends the sleep.
func TestPollAndTimeBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		th, err := namedthread.NewRegistry().Attach("Window", namedthread.Options{
			Park: sleepevent.ParkGo, PollEvery: 10 * time.Millisecond,
			Poll: func(*namedthread.Thread) { calls++ },
		})
		require.NoError(t, err)
		begin := time.Now()
		for range 2 {
			n, err := th.PumpFor(mainQ, 25*time.Millisecond)
			require.NoError(t, err)
			require.Zero(t, n, "a poll is no piece of work")
		}
		require.Equal(t, 50*time.Millisecond, time.Since(begin))
		require.Equal(t, 5, calls, "at 0, 10, 20, 30, 40")
		require.NoError(t, th.Detach())
	})
}

// pollThread attaches a thread with a Poll of the shortest period.
func pollThread(t *testing.T, poll func(th *namedthread.Thread)) *namedthread.Thread {
	t.Helper()
	th, err := namedthread.NewRegistry().Attach("Window",
		namedthread.Options{Poll: poll, PollEvery: 1})
	require.NoError(t, err)
	t.Cleanup(func() { th.Detach() })
	return th
}

func TestPollLeavesWorkItsTurn(t *testing.T) {
	calls, ran := 0, 0
	th := pollThread(t, func(*namedthread.Thread) { calls++ })
	for range 50 {
		post(t, th, namedthread.Func(func() { ran++ }))
	}
	n, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 50, n)
	require.Equal(t, 50, ran)
	require.Positive(t, calls)
	require.LessOrEqual(t, calls, 51)
}

// TestPollIsForeignCode: a Poll may pump the local queue, wait, and end the pump that called it.
func TestPollIsForeignCode(t *testing.T) {
	var k namedthread.Token
	local, depth := 0, 0
	th := pollThread(t, func(th *namedthread.Thread) {
		depth++
		defer func() { depth-- }()
		require.Equal(t, 1, depth, "called inside itself")
		_, err := th.PumpUntilIdle(mainQ)
		require.ErrorIs(t, err, namedthread.ErrReentered)
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() { local++ }), 0))
		n, err := th.PumpUntilIdle(localQ)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		looks := 0
		th.Wait(mainQ, func() bool { looks++; th.Wake(); return looks == 2 })
		th.RequestReturn(k)
	})
	for range 100 {
		k = th.NewToken()
		n, err := th.PumpUntilReturn(mainQ, k)
		require.NoError(t, err)
		require.Zero(t, n)
	}
	require.Equal(t, 100, local)
}

func TestTrap11_PollPanics(t *testing.T) {
	boom := errors.New("boom")
	ran := 0
	th := pollThread(t, func(*namedthread.Thread) { panic(boom) })
	for range 10 {
		post(t, th, namedthread.Func(func() { ran++ }))
	}
	n, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 10, n)
	require.Equal(t, 10, ran)
	require.ErrorIs(t, th.Err(), boom)
}

// TestTrap11_PollExits: a started thread lives on when its Poll calls Goexit.
func TestTrap11_PollExits(t *testing.T) {
	calls := 0
	th := start(t, namedthread.Options{PollEvery: time.Microsecond,
		Poll: func(*namedthread.Thread) {
			if calls++; calls <= 5 {
				runtime.Goexit()
			}
		}})
	for range 20 {
		ask(t, th, func() {})
	}
	ask(t, th, func() { require.Greater(t, calls, 5) })
}

func TestPollOptions(t *testing.T) {
	r := namedthread.NewRegistry()
	poll := func(*namedthread.Thread) {}
	for _, o := range []namedthread.Options{{Poll: poll}, {Poll: poll, PollEvery: -1},
		{PollEvery: 1}} {
		_, err := r.Start("A", o)
		require.ErrorContains(t, err, "Options.PollEvery")
		_, err = r.Attach("A", o)
		require.ErrorContains(t, err, "Options.PollEvery")
	}
	require.Empty(t, r.Threads())
	// No period is too long.
	calls := 0
	th, err := r.Attach("A",
		namedthread.Options{PollEvery: math.MaxInt64, Poll: func(*namedthread.Thread) { calls++ }})
	require.NoError(t, err)
	for range 3 {
		_, err = th.PumpFor(mainQ, time.Millisecond)
		require.NoError(t, err)
	}
	require.Equal(t, 1, calls)
	require.NoError(t, th.Detach())
}
