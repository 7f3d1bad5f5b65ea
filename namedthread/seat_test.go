package namedthread_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/namedthread"
)

var errStuck = errors.New("stuck")

// needsIDs skips a test of attached threads that take turns where it is not known which goroutine
// is one.
func needsIDs(t *testing.T) {
	if !osthread.HasID {
		t.Skip("no thread ids")
	}
}

// simulation returns a scheduler whose first actor is the caller.
func simulation(seed uint64) *turns.Scheduler {
	return turns.New(turns.Options{Seed: seed, OnStuck: func() error { return errStuck }})
}

// A started thread takes turns as long as it is told to, sleeps by the virtual clock, and is a
// thread like any other before and after.
func TestSeatOfAStartedThread(t *testing.T) {
	for seed := range uint64(20) {
		th := start(t, namedthread.Options{})
		for range 2 { // in one simulation after the other
			s := simulation(seed)
			require.NoError(t, turns.JoinThread(th, s))
			require.ErrorContains(t, turns.JoinThread(th, simulation(seed)),
				"is in another simulation")
			ran := 0
			for range 3 {
				post(t, th, namedthread.Func(func() { ran++ }))
			}
			s.BlockUntil(func() bool { return ran == 3 })
			turns.LeaveThread(th)
			s.Quiesce()
			ask(t, th, func() {})
		}
		require.NoError(t, th.Err())
	}
}

// A thread that quits in a simulation leaves it.
func TestSeatOfAThreadThatQuits(t *testing.T) {
	for seed := range uint64(20) {
		th := start(t, namedthread.Options{})
		s := simulation(seed)
		require.NoError(t, turns.JoinThread(th, s))
		th.Quit()
		s.Quiesce()
		<-th.Done()
		require.NoError(t, turns.JoinThread(th, simulation(seed)),
			"one that has quit is left alone")
	}
}

// A thread that quits before it takes its seat lets the one go on that waits for that.
func TestSeatThatIsNotTaken(t *testing.T) {
	th := start(t, namedthread.Options{})
	entered, leave := make(chan struct{}), make(chan struct{})
	post(t, th, namedthread.Func(func() { close(entered); <-leave }))
	<-entered
	up, err := namedthread.PostJoining(th, simulation(1))
	require.NoError(t, err)
	th.Quit()
	close(leave)
	up.Wait()
	<-th.Done()
}

// Work that calls Goexit moves a thread to another goroutine; the simulation knows that one.
func TestSeatAfterGoexit(t *testing.T) {
	for seed := range uint64(20) {
		th := start(t, namedthread.Options{})
		s := simulation(seed)
		require.NoError(t, turns.JoinThread(th, s))
		checked := 0
		for range 3 {
			post(t, th, namedthread.Func(func() {
				s.Check() // it panics if a stranger has the turn
				checked++
				runtime.Goexit()
			}))
			s.BlockUntil(func() bool { return checked > 0 || th.Err() != nil })
		}
		s.BlockUntil(func() bool { return checked == 3 || th.Err() != nil })
		turns.LeaveThread(th)
		s.Quiesce()
		require.NoError(t, th.Err())
		require.Equal(t, 3, checked)
	}
}

// An attached thread that is the first actor takes its seat, and leaves it, at once. It sleeps by
// the virtual clock.
func TestSeatOfTheFirstActor(t *testing.T) {
	needsIDs(t)
	th := attach(t)
	require.ErrorContains(t, joinElsewhere(th), "does not take part")
	s := simulation(1)
	require.NoError(t, turns.JoinThread(th, s))
	ran, err := th.PumpFor(namedthread.QueueMain, time.Hour)
	require.NoError(t, err)
	require.Zero(t, ran)
	require.EqualValues(t, time.Hour, s.Now())

	// Somebody who takes turns wakes it.
	s.Go(false, func() string { return "posts" }, func() {
		s.Block(int64(time.Minute))
		post(t, th, namedthread.Func(func() {}))
	})
	k := th.NewToken()
	s.Go(false, func() string { return "returns the token" }, func() {
		s.Block(int64(time.Hour))
		th.RequestReturn(k)
	})
	ran, err = th.PumpUntilReturn(namedthread.QueueMain, k)
	require.NoError(t, err)
	require.Equal(t, 1, ran)
	require.EqualValues(t, 2*time.Hour, s.Now())

	turns.LeaveThread(th)
	require.NoError(t, turns.JoinThread(th, simulation(2)))
	turns.LeaveThread(th)
	turns.LeaveThread(th) // nothing to leave
	s.Quiesce()
	post(t, th, namedthread.Func(func() {}))
	ran, err = th.PumpUntilIdle(namedthread.QueueMain)
	require.NoError(t, err)
	require.Equal(t, 1, ran)
}

// joinElsewhere is JoinThread by another goroutine than the thread's.
func joinElsewhere(th *namedthread.Thread) error {
	joined := make(chan error)
	go func() { joined <- turns.JoinThread(th, simulation(3)) }()
	return <-joined
}

// A pump that nothing can end any more is told so by a panic that passes it by, whatever Options
// say of the panics of work. The thread pumps on afterwards.
func TestSeatOfAThreadThatIsStuck(t *testing.T) {
	needsIDs(t)
	th, err := namedthread.NewRegistry().Attach("Game",
		namedthread.Options{OnPanic: func(any, []byte) {}})
	require.NoError(t, err)
	defer func() { require.NoError(t, th.Detach()) }()
	s := simulation(1)
	require.NoError(t, turns.JoinThread(th, s))
	for range 2 {
		require.PanicsWithError(t, "stuck", func() {
			_, _ = th.PumpUntilQuit(namedthread.QueueMain)
		})
		post(t, th, namedthread.Func(func() { panic("work") }))
		post(t, th, namedthread.Func(func() {}))
		ran, err := th.PumpUntilIdle(namedthread.QueueMain)
		require.NoError(t, err)
		require.Equal(t, 2, ran)
	}
	turns.LeaveThread(th)
	s.Quiesce()
}
