package namedthread_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
)

const (
	mainQ  = namedthread.QueueMain
	localQ = namedthread.QueueLocal
	high   = namedthread.PriorityHigh
	normal = namedthread.PriorityNormal
)

func TestPumpUntilIdle(t *testing.T) {
	th := attach(t)
	n, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Zero(t, n)

	ran := 0
	count := namedthread.Func(func() { ran++ })
	require.NoError(t, th.Post(mainQ, normal, count, 0))
	require.NoError(t, th.Post(localQ, normal, count, 0))
	require.NoError(t, th.Post(localQ, high, count, 0))
	n, err = th.PumpUntilIdle(localQ)
	require.NoError(t, err)
	require.Equal(t, 2, n, "the local queue's pump keeps to it")
	require.NoError(t, th.Post(localQ, normal, count, 0))
	n, err = th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 2, n, "the main queue's pump drains the local one too")
	require.Equal(t, 4, ran)
}

func TestReentered(t *testing.T) {
	th := attach(t)
	reenter := func(q namedthread.Queue) {
		for _, f := range []func() (int, error){
			func() (int, error) { return th.PumpUntilIdle(q) },
			func() (int, error) { return th.PumpUntilReturn(q, th.NewToken()) },
			func() (int, error) { return th.PumpUntilQuit(q) },
			func() (int, error) { return th.PumpFor(q, time.Hour) },
			func() (int, error) { return th.PumpUntil(q, func() bool { return true }) },
		} {
			n, err := f()
			require.ErrorIs(t, err, namedthread.ErrReentered)
			require.Zero(t, n)
		}
		require.ErrorIs(t, th.Detach(), namedthread.ErrReentered)
	}
	seen := 0
	require.NoError(t, th.Post(mainQ, normal, namedthread.Func(func() {
		reenter(mainQ)
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() {
			reenter(mainQ)
			reenter(localQ)
			seen++
		}), 0))
		n, err := th.PumpUntilIdle(localQ) // the other queue may be pumped
		require.NoError(t, err)
		require.Equal(t, 1, n)
		// Work that the main queue's pump takes from the local queue stands for a pump of it.
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() {
			reenter(localQ)
			seen++
		}), 0))
	}), 0))
	n, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, 2, seen)

	// A local pump's work may pump the main queue, which then leaves the local one alone.
	require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() {
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() { seen++ }), 0))
		n, err := th.PumpUntilIdle(mainQ)
		require.NoError(t, err)
		require.Zero(t, n)
	}), 0))
	n, err = th.PumpUntilIdle(localQ)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, 3, seen)
}

func TestPumpUntilReturn(t *testing.T) {
	th := attach(t)
	ran := 0
	count := namedthread.Func(func() { ran++ })

	// From inside, with work left.
	k := th.NewToken()
	post(t, th, count)
	post(t, th, namedthread.Func(func() { th.RequestReturn(k); th.RequestReturn(k) }))
	post(t, th, count)
	n, err := th.PumpUntilReturn(mainQ, k)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, 1, ran, "nothing is begun after the request")

	// Early: before the pump.
	k = th.NewToken()
	th.RequestReturn(k)
	n, err = th.PumpUntilReturn(mainQ, k)
	require.NoError(t, err)
	require.Zero(t, n)

	// A token that has served.
	n, err = th.PumpUntilReturn(mainQ, k)
	require.NoError(t, err)
	require.Zero(t, n)

	n, err = th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestPumpUntil(t *testing.T) {
	th := attach(t)
	ran := 0
	count := namedthread.Func(func() { ran++ })

	// It ends between two pieces of work, also before the first.
	n, err := th.PumpUntil(mainQ, func() bool { return true })
	require.NoError(t, err)
	require.Zero(t, n)
	for range 3 {
		post(t, th, count)
	}
	n, err = th.PumpUntil(mainQ, func() bool { return ran == 2 })
	require.NoError(t, err)
	require.Equal(t, []int{2, 2}, []int{n, ran}, "nothing is begun once the condition holds")

	// By somebody else, who wakes it once work of both queues was run. One piece is left.
	var over atomics.Bool
	local := make(chan struct{})
	go func() {
		_ = th.Post(mainQ, high, namedthread.Func(func() {
			go func() {
				<-local
				over.Store(true)
				th.Wake()
			}()
		}), 0)
		_ = th.Post(localQ, normal, namedthread.Func(func() { close(local) }), 0)
	}()
	n, err = th.PumpUntil(mainQ, over.Load)
	require.NoError(t, err)
	require.Equal(t, 3, n)

	// Work that panics is not the condition, and does not end the pump.
	panics := namedthread.Func(func() { panic("work") })
	post(t, th, panics)
	post(t, th, count)
	_, err = th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	before := ran
	post(t, th, panics)
	post(t, th, count)
	n, err = th.PumpUntil(mainQ, func() bool { return ran > before })
	require.NoError(t, err)
	require.Equal(t, 2, n)

	th.Quit()
	_, err = th.PumpUntil(mainQ, func() bool { return false })
	require.ErrorIs(t, err, namedthread.ErrClosed)
	_, err = th.PumpUntil(mainQ, func() bool { return true })
	require.NoError(t, err, "it need not run anything")
}

// Work that a Wait runs does not pump either, though no pump is on the stack: what the wait is for
// would be beneath work that has nothing to do with it. The other pumps are the caller's affair.
func TestPumpUntilInAWait(t *testing.T) {
	th := attach(t)
	looks := 0
	th.Wait(mainQ, func() bool {
		looks++
		_, err := th.PumpUntil(mainQ, func() bool { return true })
		require.ErrorIs(t, err, namedthread.ErrReentered)
		_, err = th.PumpUntilIdle(mainQ)
		require.NoError(t, err)
		return true
	})
	require.Equal(t, 1, looks)
}

// TestTrap02_WakeTakenInAPumpsCondition is TestTrap02_WakeTakenByInnerWait in a pump.
func TestTrap02_WakeTakenInAPumpsCondition(t *testing.T) {
	th := attach(t)
	outer, first := false, true
	var inner atomics.Bool
	_, err := th.PumpUntil(mainQ, func() bool {
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
	require.NoError(t, err)
}

// TestTrap02_WorkTakenInAPumpsCondition is TestTrap02_PostTakenByInnerPump in a pump.
func TestTrap02_WorkTakenInAPumpsCondition(t *testing.T) {
	th := attach(t)
	ran, looks := 0, 0
	n, err := th.PumpUntil(mainQ, func() bool {
		looks++
		if looks == 1 {
			post(t, th, namedthread.Func(func() { ran++ }))
			require.True(t, th.RunFirst(mainQ, func(namedthread.Runnable, uint64) bool {
				return true
			}))
		}
		return looks == 2
	})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, []int{n, ran})
}

func TestLateReturnEndsNothing(t *testing.T) {
	th := attach(t)
	old := th.NewToken()
	th.RequestReturn(old)
	_, err := th.PumpUntilReturn(mainQ, old)
	require.NoError(t, err)

	k := th.NewToken()
	require.NotEqual(t, old, k)
	var order []int
	post(t, th, namedthread.Func(func() { th.RequestReturn(old); order = append(order, 1) }))
	post(t, th, namedthread.Func(func() { th.RequestReturn(k); order = append(order, 2) }))
	n, err := th.PumpUntilReturn(mainQ, k)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, []int{1, 2}, order)
}

func TestReturnEndsOnlyItsPump(t *testing.T) {
	th := attach(t)
	outer, inner := th.NewToken(), th.NewToken()
	var order []string
	note := func(s string) namedthread.Func { return func() { order = append(order, s) } }
	post(t, th, namedthread.Func(func() {
		require.NoError(t, th.Post(localQ, normal,
			namedthread.Func(func() { th.RequestReturn(outer) }), 0))
		require.NoError(t, th.Post(localQ, normal, note("local"), 0))
		require.NoError(t, th.Post(localQ, normal,
			namedthread.Func(func() { th.RequestReturn(inner) }), 0))
		n, err := th.PumpUntilReturn(localQ, inner)
		require.NoError(t, err)
		require.Equal(t, 3, n)
		order = append(order, "inner over")
	}))
	post(t, th, note("left"))
	n, err := th.PumpUntilReturn(mainQ, outer)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, []string{"local", "inner over"}, order)
	_, err = th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, "left", order[len(order)-1])
}

func TestRequestReturnWakes(t *testing.T) {
	th := attach(t)
	tokens := make(chan namedthread.Token)
	quit := make(chan struct{})
	go func() {
		defer close(quit)
		for k := range tokens {
			th.RequestReturn(k)
		}
	}()
	for i := range 300 {
		k := th.NewToken()
		tokens <- k
		q := namedthread.Queue(i & 1)
		n, err := th.PumpUntilReturn(q, k)
		require.NoError(t, err)
		require.Zero(t, n)
	}
	close(tokens)
	<-quit
}

func TestForeignToken(t *testing.T) {
	th := attach(t)
	other := start(t, namedthread.Options{})
	require.Panics(t, func() { th.RequestReturn(namedthread.Token{}) })
	require.Panics(t, func() { th.RequestReturn(other.NewToken()) })
	require.Panics(t, func() { th.PumpUntilReturn(mainQ, other.NewToken()) })
}

func TestPumpFor(t *testing.T) {
	th := attach(t)
	ran := 0
	count := namedthread.Func(func() { ran++ })
	post(t, th, count)
	n, err := th.PumpFor(mainQ, 0)
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = th.PumpFor(mainQ, -time.Second)
	require.NoError(t, err)
	require.Zero(t, n)

	// The first piece uses the budget up.
	post(t, th, count)
	n, err = th.PumpFor(mainQ, time.Nanosecond)
	require.NoError(t, err)
	require.LessOrEqual(t, n, 2)
	before := time.Now()
	n, err = th.PumpFor(mainQ, 2*time.Millisecond)
	require.NoError(t, err)
	require.LessOrEqual(t, n, 2)
	require.GreaterOrEqual(t, time.Since(before), 2*time.Millisecond,
		"it sleeps when there is nothing to do")
	_, err = th.PumpUntilIdle(mainQ) // what was left when the time was over
	require.NoError(t, err)
	require.Equal(t, 2, ran)

	// It is ended by Quit whatever the time, and no time is too long.
	go th.Quit()
	_, err = th.PumpFor(mainQ, math.MaxInt64)
	require.ErrorIs(t, err, namedthread.ErrClosed)
}

func TestPostWakesPump(t *testing.T) {
	th := start(t, namedthread.Options{})
	for i := range 300 {
		done := make(chan struct{})
		require.NoError(t, th.Post(namedthread.Queue(i&1), namedthread.Priority(i>>1&1),
			namedthread.Func(func() { close(done) }), 0))
		<-done
	}
}

func TestMisuse(t *testing.T) {
	th := start(t, namedthread.Options{})
	f := namedthread.Func(func() {})
	require.PanicsWithValue(t, "namedthread: Post of a nil Runnable", func() {
		th.Post(mainQ, normal, nil, 0)
	})
	require.PanicsWithValue(t, "namedthread: no such queue: Queue(2)", func() {
		th.Post(2, normal, f, 0)
	})
	require.PanicsWithValue(t, "namedthread: no such priority: Priority(2)", func() {
		th.Post(mainQ, 2, f, 0)
	})
	require.PanicsWithValue(t, "namedthread: no such queue: Queue(2)", func() {
		th.PumpUntilIdle(2)
	})
	require.PanicsWithValue(t, "namedthread: Wait for a nil condition", func() {
		th.Wait(mainQ, nil)
	})
	if _, err := namedthread.Current(); err != namedthread.ErrNotNamed {
		return // no ids here
	}
	const message = " called from outside thread Render"
	require.PanicsWithValue(t, "namedthread: PumpUntilIdle"+message, func() {
		th.PumpUntilIdle(mainQ)
	})
	require.PanicsWithValue(t, "namedthread: PumpUntilQuit"+message, func() {
		th.PumpUntilQuit(mainQ)
	})
	require.PanicsWithValue(t, "namedthread: PumpFor"+message, func() { th.PumpFor(mainQ, 1) })
	require.PanicsWithValue(t, "namedthread: PumpUntilReturn"+message, func() {
		th.PumpUntilReturn(mainQ, th.NewToken())
	})
	require.PanicsWithValue(t, "namedthread: Wait"+message, func() {
		th.Wait(mainQ, func() bool { return true })
	})
	require.ErrorIs(t, th.Detach(), namedthread.ErrNotAttached)
}

// TestNoAllocation covers a frame: post, pump until a token is returned.
func TestNoAllocation(t *testing.T) {
	th := attach(t)
	var k, nested namedthread.Token
	end := cancelJob{run: func(th *namedthread.Thread, token uint64) {
		if token == 1 {
			th.RequestReturn(nested)
		} else {
			nested = th.NewToken()
			th.Post(localQ, normal, end2(&nested), 1)
			th.PumpUntilReturn(localQ, nested)
			th.Wait(mainQ, func() bool { return true })
			th.RequestReturn(k)
		}
	}}
	var work namedthread.Runnable = &end
	frame := func() {
		k = th.NewToken()
		th.Post(mainQ, normal, work, 0)
		th.PumpUntilReturn(mainQ, k)
	}
	frame()
	require.Zero(t, testing.AllocsPerRun(5000, frame))
}

// end2 returns work that returns a token.
func end2(k *namedthread.Token) namedthread.Runnable { return (*returner)(k) }

type returner namedthread.Token

func (r *returner) RunOn(th *namedthread.Thread, _ uint64) {
	th.RequestReturn(namedthread.Token(*r))
}
