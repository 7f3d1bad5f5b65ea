package namedthread_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
)

func TestQuitCancelsWhatIsLeft(t *testing.T) {
	th := start(t, namedthread.Options{})
	hold, held := make(chan struct{}), make(chan struct{})
	post(t, th, namedthread.Func(func() { close(held); <-hold }))
	<-held
	var cancelled []uint64
	work := cancelJob{
		run: func(*namedthread.Thread, uint64) { t.Error("run after Quit") },
		cancel: func(on *namedthread.Thread, token uint64) {
			if now, err := namedthread.Current(); err == nil && now != th || on != th {
				t.Error("cancelled elsewhere")
			}
			if err := on.Post(mainQ, normal, namedthread.Func(func() {}),
				0); err != namedthread.ErrClosed {
				t.Error("posted while quitting:", err)
			}
			cancelled = append(cancelled, token)
		},
	}
	for i := range uint64(10) {
		require.NoError(t, th.Post(namedthread.Queue(i&1), namedthread.Priority(i>>1&1), work, i))
	}
	for range 3 {
		post(t, th, namedthread.Func(func() { t.Error("run after Quit") }))
	}
	th.Quit()
	th.Quit()
	require.ErrorIs(t, th.Post(mainQ, normal, work, 99), namedthread.ErrClosed)
	close(hold)
	<-th.Done()
	require.ElementsMatch(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, cancelled)
	require.EqualValues(t, 3, th.Dropped())
	require.ErrorIs(t, th.Err(), namedthread.ErrDropped)
	require.Equal(t, `namedthread: accepted work was dropped: namedthread "Render": 3`,
		th.Err().Error())
}

func TestQuitEndsEveryPump(t *testing.T) {
	for _, inside := range []bool{true, false} {
		for q := range namedthread.Queue(2) {
			th := attach(t)
			quit := th.Quit
			if inside {
				require.NoError(t, th.Post(q, normal, namedthread.Func(th.Quit), 0))
			} else {
				go quit()
			}
			n, err := th.PumpUntilQuit(q)
			require.NoError(t, err)
			require.Equal(t, inside, n == 1)
			_, err = th.PumpUntilIdle(q)
			require.ErrorIs(t, err, namedthread.ErrClosed)
			_, err = th.PumpUntilReturn(q, th.NewToken())
			require.ErrorIs(t, err, namedthread.ErrClosed)
			require.NoError(t, th.Detach())
			_, err = th.PumpUntilQuit(q)
			require.ErrorIs(t, err, namedthread.ErrClosed)
			require.ErrorIs(t, th.Detach(), namedthread.ErrClosed)
			<-th.Done()
		}
	}
}

func TestOutermostPumpCancels(t *testing.T) {
	th := attach(t)
	cancelled := 0
	left := cancelJob{cancel: func(*namedthread.Thread, uint64) { cancelled++ }}
	post(t, th, namedthread.Func(func() {
		require.NoError(t, th.Post(mainQ, normal, left, 0))
		require.NoError(t, th.Post(localQ, normal, left, 0))
		th.Quit()
		_, err := th.PumpUntilIdle(localQ)
		require.ErrorIs(t, err, namedthread.ErrClosed)
		require.Zero(t, cancelled, "an inner pump leaves that to the outer one")
	}))
	_, err := th.PumpUntilIdle(mainQ)
	require.ErrorIs(t, err, namedthread.ErrClosed)
	require.Equal(t, 2, cancelled)
	require.NoError(t, th.Detach())
}

func TestDetachCancels(t *testing.T) {
	th := attach(t)
	cancelled := 0
	post(t, th, cancelJob{cancel: func(*namedthread.Thread, uint64) { cancelled++ }})
	post(t, th, namedthread.Func(func() {}))
	require.ErrorIs(t, th.Detach(), namedthread.ErrDropped)
	require.Equal(t, 1, cancelled)
	require.ErrorIs(t, th.Post(mainQ, normal, namedthread.Func(func() {}), 0),
		namedthread.ErrClosed)
}

// TestTrap04_PostRacingQuit: whether a Post is accepted and when it closes are one decision.
// Each accepted piece is run or cancelled exactly once, each refused one never.
func TestTrap04_PostRacingQuit(t *testing.T) {
	const posters = 4
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	r := namedthread.NewRegistry()
	for round := range rounds {
		th, err := r.Start("Racer", namedthread.Options{})
		require.NoError(t, err)
		var accepted, ran, cancelled, after atomics.Uint64
		work := cancelJob{
			run:    func(*namedthread.Thread, uint64) { ran.Add(1) },
			cancel: func(*namedthread.Thread, uint64) { cancelled.Add(1) },
		}
		var begin, end sync.WaitGroup
		begin.Add(1)
		for p := range posters {
			end.Go(func() {
				begin.Wait()
				for i := 0; ; i++ {
					if th.Post(namedthread.Queue(i&1), namedthread.Priority(p&1), work, 0) != nil {
						return
					}
					accepted.Add(1)
					if i%64 == 63 {
						runtime.Gosched()
					}
				}
			})
		}
		end.Go(func() {
			begin.Wait()
			for ran.Load() < uint64(round) {
				runtime.Gosched()
			}
			th.Quit()
			for range 10 {
				if th.Post(mainQ, normal, work, 0) == nil {
					after.Add(1)
				}
			}
		})
		begin.Done()
		end.Wait()
		<-th.Done()
		require.Equal(t, accepted.Load(), ran.Load()+cancelled.Load())
		require.Zero(t, after.Load(), "accepted after Quit had returned")
		require.Zero(t, th.Dropped())
	}
}
