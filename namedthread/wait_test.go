package namedthread_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
)

// TestTrap06_WaitInsidePumpedWork: work on a thread waits for something that other work bound
// to the same thread brings about. The condition runs that work, everything else stays
// where it is, and nothing deadlocks.
func TestTrap06_WaitInsidePumpedWork(t *testing.T) {
	for _, q := range []namedthread.Queue{mainQ, localQ} {
		th := start(t, namedthread.Options{})
		// A task in the manner of a graph: bound to the thread, claimed by whoever runs it.
		var ready, claimed, done atomics.Bool
		var order []string
		runAwaited := func() {
			if claimed.CompareAndSwap(false, true) {
				order = append(order, "awaited")
				done.Store(true)
			}
		}
		finished, inside := make(chan struct{}), make(chan struct{})
		post(t, th, namedthread.Func(func() {
			close(inside)
			th.Wait(q, func() bool {
				if ready.Load() {
					runAwaited()
				}
				return done.Load()
			})
			order = append(order, "waiter")
		}))
		<-inside
		post(t, th, namedthread.Func(func() { order = append(order, "other") }))
		require.NoError(t, th.Post(mainQ, high,
			namedthread.Func(func() { order = append(order, "high") }), 0))
		ready.Store(true)
		post(t, th, namedthread.Func(runAwaited)) // wakes the waiter; finds it claimed
		post(t, th, namedthread.Func(func() { close(finished) }))
		<-finished
		require.Equal(t, []string{"awaited", "waiter", "high", "other"}, order)
	}
}

func TestWaitTrueAtOnce(t *testing.T) {
	th := attach(t)
	ran := 0
	for q := range namedthread.Queue(2) {
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() { ran++ }), 0))
		looks := 0
		th.Wait(q, func() bool { looks++; return true })
		require.Equal(t, 1, looks)
		require.Zero(t, ran, "a Wait that need not wait does nothing else")
	}
}

func TestWaitSetsAsideInOrder(t *testing.T) {
	th := attach(t)
	var got []uint64
	note := job(func(_ *namedthread.Thread, token uint64) { got = append(got, token) })
	posts := func(q namedthread.Queue, p namedthread.Priority, from, n uint64) {
		for i := range n {
			require.NoError(t, th.Post(q, p, note, from+i))
		}
	}
	through := func() {
		looks := 0
		th.Wait(mainQ, func() bool { looks++; th.Wake(); return looks == 12 })
		require.Empty(t, got)
	}
	posts(mainQ, normal, 1000, 200)
	through()
	posts(mainQ, normal, 1200, 200)
	posts(mainQ, high, 0, 200)
	posts(localQ, high, 2000, 10)
	through()
	posts(mainQ, normal, 1400, 100)
	// goes before the normal ones that a Wait has left, but behind the high
	posts(mainQ, high, 200, 100)
	posts(localQ, high, 2010, 10)

	n, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 820, n)
	var want []uint64
	for _, span := range [][2]uint64{{0, 300}, {1000, 1500}, {2000, 2020}} {
		for i := span[0]; i < span[1]; i++ {
			want = append(want, i)
		}
	}
	require.Equal(t, want, got)
}

func TestWaitLocalRunsLocal(t *testing.T) {
	th := attach(t)
	var got []string
	note := func(s string) namedthread.Func { return func() { got = append(got, s) } }
	done := false
	post(t, th, namedthread.Func(func() {
		post(t, th, note("main"))
		require.NoError(t, th.Post(localQ, normal, note("local"), 0))
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() {
			// A Wait that names the local queue stands for a pump of it.
			_, err := th.PumpUntilIdle(localQ)
			require.ErrorIs(t, err, namedthread.ErrReentered)
			// One inside leaves local work where it is as well.
			require.NoError(t, th.Post(localQ, normal, note("inner"), 0))
			looks := 0
			th.Wait(localQ, func() bool { looks++; th.Wake(); return looks == 5 })
			got = append(got, "second")
		}), 0))
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() { done = true }), 0))
		th.Wait(localQ, func() bool { return done })
		got = append(got, "waited")
	}))
	_, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, []string{"local", "second", "waited", "main", "inner"}, got)
}

func TestWakeEndsWait(t *testing.T) {
	th := attach(t)
	var round atomics.Uint64
	looking, quit := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(quit)
		for range looking {
			round.Add(1)
			th.Wake()
		}
	}()
	for i := range uint64(300) {
		looking <- struct{}{}
		th.Wait(namedthread.Queue(i&1), func() bool { return round.Load() == i+1 })
	}
	close(looking)
	<-quit
}

// TestTrap02_WakeTakenByInnerWait: a Wait inside the condition of another takes the signal of
// a Wake that was meant for the outer one. The outer one must look again all the same.
func TestTrap02_WakeTakenByInnerWait(t *testing.T) {
	th := attach(t)
	outer := false
	var inner atomics.Bool
	first := true
	th.Wait(mainQ, func() bool {
		seen := outer
		if first {
			first = false
			outer = true // after it was looked at
			th.Wake()
			go func() {
				inner.Store(true)
				th.Wake()
			}()
			th.Wait(mainQ, inner.Load)
		}
		return seen
	})
}

// TestTrap02_PostTakenByInnerPump: the same with a post, which a pump inside the condition takes.
func TestTrap02_PostTakenByInnerPump(t *testing.T) {
	th := attach(t)
	ran, looks := 0, 0
	th.Wait(mainQ, func() bool {
		looks++
		if looks == 1 {
			post(t, th, namedthread.Func(func() { ran++ }))
			n, err := th.PumpUntilIdle(mainQ)
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
		return looks == 2
	})
	require.Equal(t, 1, ran)
}

// TestTrap02_PostLeftByInnerWait: the same with a post that an inner Wait leaves where it is.
func TestTrap02_PostLeftByInnerWait(t *testing.T) {
	th := attach(t)
	ran, looks := 0, 0
	var inner atomics.Bool
	th.Wait(mainQ, func() bool {
		looks++
		if looks == 1 {
			post(t, th, namedthread.Func(func() { ran++ }))
			go func() {
				inner.Store(true)
				th.Wake()
			}()
			th.Wait(mainQ, inner.Load)
		}
		return looks == 2
	})
	n, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, []int{n, ran})
}

// TestWaitUnderFlood: posts without end do not keep a Wait from looking.
func TestWaitUnderFlood(t *testing.T) {
	th := attach(t)
	var stop atomics.Bool
	flooding, quit := make(chan struct{}), make(chan struct{})
	nothing := namedthread.Func(func() {})
	go func() {
		defer close(quit)
		for i := 0; !stop.Load(); i++ {
			if th.Post(namedthread.Queue(i&1), normal, nothing, 0) != nil {
				return
			}
			if i == 100 {
				close(flooding)
			}
			if i%100 == 0 {
				runtime.Gosched() // js has one thread, and takes it from nobody
			}
		}
	}()
	<-flooding
	looks := 0
	th.Wait(mainQ, func() bool { looks++; return looks == 20 })
	stop.Store(true)
	<-quit
}

func TestQuitDoesNotEndWait(t *testing.T) {
	th := attach(t)
	ran, local := false, false
	cancelled := 0
	post(t, th, namedthread.Func(func() {
		require.NoError(t, th.Post(localQ, normal, cancelJob{
			run:    func(*namedthread.Thread, uint64) { local = true },
			cancel: func(*namedthread.Thread, uint64) { cancelled++ },
		}, 0))
		th.Quit()
		var done atomics.Bool
		go func() {
			done.Store(true)
			th.Wake()
		}()
		th.Wait(localQ, done.Load)
		ran = true
	}))
	_, err := th.PumpUntilIdle(mainQ)
	require.ErrorIs(t, err, namedthread.ErrClosed)
	require.True(t, ran)
	require.False(t, local, "after Quit no work is begun")
	require.Equal(t, 1, cancelled)
}
