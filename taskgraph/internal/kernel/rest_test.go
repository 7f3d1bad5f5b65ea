package kernel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// As long as somebody holds a slot and is not idle, nothing is quiet, though nothing is queued.
func TestQuiet(t *testing.T) {
	k := newKernel(2, 0, nil)
	quiet, _ := k.Quiet()
	require.False(t, quiet, "both run")
	first := search(k, k.Slots()[0])
	quiet, _ = k.Quiet()
	require.False(t, quiet, "one runs")
	second := search(k, k.Slots()[1])
	asleep(k, 2)
	quiet, stamp := k.Quiet()
	require.True(t, quiet)
	_, now := k.Activity()
	require.Equal(t, now, stamp)
	k.Stop()
	require.Equal(t, kernel.GotStop, <-first)
	require.Equal(t, kernel.GotStop, <-second)
}

// The wait of a runner that has a foreground slot ends on one, and counts as one wait.
func TestForegroundRunnerIsResumed(t *testing.T) {
	spawned := make(chan *kernel.Slot, 1)
	k := newKernel(2, 1, func(s *kernel.Slot) { spawned <- s })
	waiter := k.NewRunner(k.Slots()[0], park.OS)
	back := make(chan struct{})
	end := waiter.Arm()
	go func() { waiter.Await(); close(back) }()
	other := k.NewRunner(<-spawned, park.OS)
	require.EqualValues(t, 1, k.Stats().RunnerParks)
	end()
	_, got := k.Next(other.Slot())
	require.Equal(t, kernel.GotResume, got)
	rested := make(chan bool, 1)
	go func() { rested <- other.Yield() }()
	select {
	case <-back:
	case <-rested:
		t.Fatal("nobody wanted the slot")
	}
	require.Equal(t, k.Slots()[0], waiter.Slot())
	k.Stop()
	require.False(t, <-rested)
}

// A worker above the quota ends its rest when the kernel stops, however far it has come.
func TestStopEndsTheRestOfSurplus(t *testing.T) {
	for i := range 100 {
		k := newKernel(2, 0, nil)
		require.True(t, k.SetWorkers(1, 0))
		found := search(k, k.Slots()[1])
		for range i {
			atomics.Gosched()
		}
		k.Stop()
		require.Equal(t, kernel.GotStop, <-found)
	}
}

// A worker above the quota comes back when it no longer is.
func TestQuotaEndsTheRestOfSurplus(t *testing.T) {
	k := newKernel(2, 0, nil)
	require.True(t, k.SetWorkers(1, 0))
	require.False(t, k.SetWorkers(1, 0))
	found := search(k, k.Slots()[1])
	k.Inject(1, kernel.Normal)
	require.True(t, k.SetWorkers(2, 0))
	require.Equal(t, kernel.GotTask, <-found)
	k.Stop()
}

// Who dozes counts as active before, after and, for shutdown's sake, meanwhile.
func TestDozeIsBalanced(t *testing.T) {
	quiet := 0
	k := kernel.New(kernel.Config{
		Workers: 1,
		OnIdle:  func(*kernel.Slot) {},
		OnQuiet: func() { quiet++ },
		Watch:   func() {},
		Own:     func(*kernel.Slot) any { return nil },
	})
	s := k.Slots()[0]
	for range 10 {
		require.True(t, k.Doze(s, time.Microsecond))
	}
	active, _ := k.Activity()
	require.Equal(t, 1, active)
	require.Zero(t, quiet)
	k.Push(s, 1, kernel.Normal)
	require.False(t, k.Doze(s, time.Hour), "there is something to do")
	k.Stop()
}

// What is hidden nobody else takes, until it is revealed: by the holder, or by the watch once it
// was hidden for a period.
func TestHide(t *testing.T) {
	k := newKernel(2, 0, nil)
	a, b := k.Slots()[0], k.Slots()[1]
	hidden := func() bool {
		n, ok := k.Steal(b)
		if ok {
			require.EqualValues(t, 1, n)
		}
		return !ok
	}
	for range 2 {
		require.True(t, k.Hide(a))
		require.False(t, k.Hide(a), "it is hidden already")
		k.Push(a, 1, kernel.Normal)
		require.True(t, hidden())
		require.True(t, k.Observe().Queued)
		k.RevealLate()
		require.True(t, hidden(), "it was hidden since the last look")
		k.RevealLate()
		require.False(t, hidden())
	}
	require.True(t, k.Hide(a))
	k.Push(a, 1, kernel.Normal)
	k.Reveal(a)
	require.False(t, hidden())
	k.Push(a, 2, kernel.Normal)
	require.False(t, k.Hide(a), "others may know of what is queued")
	require.Equal(t, []entry.Entry{2}, drain(k, a))
}

// A worker that sleeps beside hidden work is woken when that is revealed, and not before.
func TestRevealWakes(t *testing.T) {
	k := newKernel(2, 0, nil)
	s := k.Slots()[0]
	found := search(k, k.Slots()[1])
	asleep(k, 1)
	require.True(t, k.Hide(s))
	k.Spawn(s, 1)
	require.Zero(t, k.Stats().KernelWakes+k.Stats().DrowseWakes)
	k.Reveal(s)
	require.Equal(t, kernel.GotTask, <-found) // which nothing else would have woken
	k.Stop()
}

// A holder that is asked by the watch, and by nobody else, goes on, and has answered.
func TestGoesOnAnswersTheWatch(t *testing.T) {
	k := newKernel(1, 0, nil)
	s := k.Slots()[0]
	k.Push(s, 1, kernel.Normal)
	k.Probe()
	require.True(t, k.Observe().Stuck)
	require.True(t, k.GoesOn(s))
	require.False(t, k.Observe().Stuck)
	k.Inject(2, kernel.High)
	require.False(t, k.GoesOn(s), "something goes before its own")
	require.Equal(t, []entry.Entry{2, 1}, drain(k, s))
}

// After Stop somebody comes for what is queued, again and again, and ends when nothing is left.
func TestStopStillTakesWhatComes(t *testing.T) {
	spawned := make(chan *kernel.Slot, 1)
	k := newKernel(1, 0, func(s *kernel.Slot) { spawned <- s })
	k.Stop()
	for n := range entry.Entry(3) {
		k.Inject(n, kernel.Normal)
		require.Len(t, spawned, 1)
		s := <-spawned
		got, how := k.Search(s)
		require.Equal(t, kernel.GotTask, how)
		require.Equal(t, n, got)
		_, how = k.Search(s)
		require.Equal(t, kernel.GotStop, how)
	}
}
