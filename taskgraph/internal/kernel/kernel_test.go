package kernel_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

func TestMain(m *testing.M) { watch.Main(m) }

func newKernel(workers, foreground int, spawn func(*kernel.Slot)) *kernel.Kernel {
	return kernel.New(kernel.Config{
		Workers:    workers,
		Foreground: foreground,
		OnIdle:     func(*kernel.Slot) {},
		OnQuiet:    func() {},
		Watch:      func() {},
		Spawn:      spawn,
		Own:        func(*kernel.Slot) any { return nil },
	})
}

func drain(k *kernel.Kernel, s *kernel.Slot) (got []entry.Entry) {
	for {
		n, what := k.Next(s)
		if what != kernel.GotTask {
			return got
		}
		got = append(got, n)
	}
}

func TestNextGoesByLevel(t *testing.T) {
	k := newKernel(2, 1, nil)
	fg, bg := k.Slots()[0], k.Slots()[1]
	require.False(t, fg.IsBackground())
	require.True(t, bg.IsBackground())

	for l := kernel.Level(kernel.Levels); l > 0; {
		l--
		k.Push(bg, entry.Entry(10+l), l) // the holder's own
		k.Inject(entry.Entry(20+l), l)   // from outside
		k.Push(bg, entry.Entry(30+l), l) // the holder's own, newest
		k.Inject(entry.Entry(40+l), l)   // from outside
	}
	// Shared levels are in order of arrival. Of those with a deque, the holder takes its own
	// first, newest first.
	require.Equal(t, []entry.Entry{
		10, 20, 30, 40, 31, 11, 21, 41, 12, 22, 32, 42, 33, 13, 23, 43, 14, 24, 34, 44,
	}, drain(k, bg))

	k.Inject(1, kernel.BackgroundHigh)
	k.Inject(2, kernel.High)
	require.Equal(t, []entry.Entry{2}, drain(k, fg),
		"a foreground slot leaves background work alone")
	require.Equal(t, []entry.Entry{1}, drain(k, bg))
}

// Foreground work in another slot's deque goes before background work of one's own.
func TestNextStealsForegroundBeforeBackground(t *testing.T) {
	k := newKernel(2, 0, nil)
	a, b := k.Slots()[0], k.Slots()[1]
	k.Push(a, 1, kernel.Normal)
	k.Push(b, 2, kernel.BackgroundNormal)
	k.Inject(3, kernel.BackgroundNormal)
	require.Equal(t, []entry.Entry{1, 2, 3}, drain(k, b))
	require.EqualValues(t, 1, b.Steals())
}

// A worker without work takes half of what a slot has, and runs it in its order; who runs a body,
// or has a spare slot, takes one.
func TestSearchStealsMany(t *testing.T) {
	k := newKernel(2, 0, nil)
	a, b := k.Slots()[0], k.Slots()[1]
	for n := range entry.Entry(10) {
		k.Push(a, 1+n, kernel.Normal)
	}
	n, got := k.Search(b)
	require.Equal(t, kernel.GotTask, got)
	require.EqualValues(t, 1, n)
	took := entry.Entry(b.Steals()) // half, but with the checker's words no more than 3
	require.Contains(t, []entry.Entry{3, 5}, took)
	n, ok := k.Steal(a)
	require.True(t, ok)
	require.Equal(t, took, n, "what is last in the order is first for thieves")
	require.EqualValues(t, 1, a.Steals())
	for want := entry.Entry(2); want < took; want++ {
		n, got = k.Next(b)
		require.Equal(t, kernel.GotTask, got)
		require.Equal(t, want, n)
	}
	for want := entry.Entry(10); want > took; want-- {
		n, got = k.Next(a)
		require.Equal(t, kernel.GotTask, got)
		require.Equal(t, want, n)
	}
}

// Each level's head is looked for within 61 takes times the number of levels.
func TestNextStarvesNobody(t *testing.T) {
	for l := kernel.Level(0); l < kernel.Levels; l++ {
		k := newKernel(1, 0, nil)
		s := k.Slots()[0]
		k.Inject(7, l)
		taken := 0
		for {
			// An endless stream of everything that goes before.
			k.Push(s, 1, kernel.Normal)
			k.Inject(2, kernel.High)
			n, got := k.Next(s)
			require.Equal(t, kernel.GotTask, got)
			if taken++; n == 7 {
				break
			}
		}
		require.LessOrEqual(t, taken, 61*kernel.Levels, "level %d", l)
	}
}

// High work without end keeps no Normal work of a foreground slot waiting, shared or its own.
func TestNextOfForegroundStarvesNobody(t *testing.T) {
	for _, queue := range []func(*kernel.Kernel, *kernel.Slot){
		func(k *kernel.Kernel, _ *kernel.Slot) { k.Inject(7, kernel.Normal) },
		func(k *kernel.Kernel, s *kernel.Slot) { k.Push(s, 7, kernel.Normal) },
	} {
		k := newKernel(2, 1, nil)
		s := k.Slots()[0]
		require.False(t, s.IsBackground())
		queue(k, s)
		taken := 0
		for got := entry.Entry(0); got != 7; {
			k.Push(s, 1, kernel.High)
			k.Inject(2, kernel.High)
			var how kernel.Got
			got, how = k.Next(s)
			require.Equal(t, kernel.GotTask, how)
			taken++
			require.LessOrEqual(t, taken, 61*4)
		}
	}
}

func TestPopIfTakesTheTopOnly(t *testing.T) {
	k := newKernel(1, 0, nil)
	s := k.Slots()[0]
	k.Push(s, 1, kernel.Normal)
	k.Push(s, 2, kernel.Normal)
	require.False(t, k.PopIf(s, 1))
	require.True(t, k.PopIf(s, 2))
	require.True(t, k.PopIf(s, 1))
	require.False(t, k.PopIf(s, 1))
}

// The hint bits: whatever is injected is found, with pushers and poppers racing on the bits.
func TestHintsHideNothing(t *testing.T) {
	const pushers, each, poppers = 3, 20_000, 2
	k := newKernel(poppers, 0, nil)
	var left atomics.Int64
	left.Store(pushers * each)
	var seen [pushers * each]atomics.Int32
	var wg sync.WaitGroup
	for p := range pushers {
		wg.Go(func() {
			for i := range each {
				k.Inject(entry.Entry(p*each+i), kernel.Level(i%kernel.Levels))
			}
		})
	}
	for _, s := range k.Slots() {
		wg.Go(func() {
			for left.Load() > 0 {
				if n, got := k.Next(s); got == kernel.GotTask {
					seen[n].Add(1)
					left.Add(-1)
				} else {
					atomics.Gosched()
				}
			}
		})
	}
	wg.Wait()
	for i := range seen {
		require.EqualValues(t, 1, seen[i].Load(), i)
	}
}

// Two runners pass one slot to and fro: a wait always ends, whether it is ended before,
// while or after its runner gives the slot away.
func TestSlotIsPassedOn(t *testing.T) {
	const rounds = 5000
	var k *kernel.Kernel
	var wg sync.WaitGroup
	// What a runner does whose slot is not needed for a body: serve those who wait.
	serve := func(s *kernel.Slot) {
		wg.Go(func() {
			r := k.NewRunner(s, park.OS)
			for {
				switch _, got := k.Search(r.Slot()); got {
				case kernel.GotResume:
					if !r.Yield() {
						return
					}
				case kernel.GotRetire:
					if !r.Retire() {
						return
					}
				case kernel.GotStop:
					return
				default:
				}
			}
		})
	}
	k = newKernel(1, 0, serve)
	r := k.NewRunner(k.Slots()[0], park.OS)
	ends := make(chan func(), 1)
	wg.Go(func() {
		for end := range ends {
			end()
		}
	})
	var holders atomics.Int32
	for i := range rounds {
		var over atomics.Bool
		end := r.Arm()
		ends <- func() { over.Store(true); end() }
		if i%3 == 0 {
			end() // a late one of an earlier wait
		}
		for {
			r.Arm()
			if over.Load() {
				break
			}
			r.Await()
			require.NotNil(t, r.Slot())
			require.EqualValues(t, 1, holders.Add(1), "two runners hold the slot")
			holders.Add(-1)
		}
	}
	close(ends)
	k.Stop()
	wg.Wait()
}

// Trap 15, as the kernel sees it: a runner that may go on gets the slot before any task.
func TestResumeGoesBeforeTasks(t *testing.T) {
	var k *kernel.Kernel
	spawned := make(chan *kernel.Slot, 1)
	k = newKernel(1, 0, func(s *kernel.Slot) { spawned <- s })
	waiter := k.NewRunner(k.Slots()[0], park.OS)
	back := make(chan struct{})
	end := waiter.Arm()
	go func() { waiter.Await(); close(back) }()
	other := k.NewRunner(<-spawned, park.OS)
	k.Inject(1, kernel.High)
	end()
	_, got := k.Next(other.Slot())
	require.Equal(t, kernel.GotResume, got)
	rested := make(chan bool)
	go func() { rested <- other.Yield() }()
	<-back
	n, got := k.Next(waiter.Slot())
	require.Equal(t, kernel.GotTask, got)
	require.EqualValues(t, 1, n)
	k.Stop()
	require.False(t, <-rested)
}

// Runners whose wait ends after Stop get slots of their own.
func TestStopLeavesNoRunnerBehind(t *testing.T) {
	for _, before := range []bool{true, false} {
		k := newKernel(1, 0, func(*kernel.Slot) {})
		r := k.NewRunner(k.Slots()[0], park.OS)
		end := r.Arm()
		back := make(chan struct{})
		go func() { r.Await(); close(back) }()
		for k.Stats().RunnerParks == 0 {
			atomics.Gosched()
		}
		if before {
			k.Stop()
			end()
		} else {
			end()
			k.Stop()
		}
		<-back
		require.NotNil(t, r.Slot())
	}
}

func TestObserve(t *testing.T) {
	k := newKernel(2, 1, nil)
	fg, bg := k.Slots()[0], k.Slots()[1]
	k.Probe()
	require.Equal(t, kernel.Progress{Held: 2}, k.Observe(), "nothing queued, nothing stuck")
	k.Inject(1, kernel.BackgroundHigh)
	k.Probe()
	require.Equal(t, kernel.Progress{Queued: true, Stuck: true, Held: 2}, k.Observe())
	_, _ = k.Next(fg)
	require.Equal(t, kernel.Progress{Queued: true, Stuck: true, Held: 2}, k.Observe(),
		"the slot that is alive cannot take it")
	k.Probe()
	n, _ := k.Next(bg)
	require.EqualValues(t, 1, n)
	k.Inject(2, kernel.Normal)
	require.Equal(t, kernel.Progress{Queued: true, Base: true, Held: 2}, k.Observe())
	k.Probe()
	require.True(t, k.Observe().Stuck)
	require.Equal(t, []entry.Entry{2}, drain(k, fg))
	require.True(t, k.Unwatch())
}

// Forks of a body that goes on are queued and not stuck, unless anything else lies beside them.
func TestObserveForks(t *testing.T) {
	k := newKernel(1, 0, nil)
	s := k.Slots()[0]
	look := func() {
		if s.Forks(kernel.Normal) < s.Enough() {
			k.EnoughForks(s, 1)
		}
	}
	k.PushFork(s, kernel.Normal, 1)
	k.Probe()
	require.Equal(t, kernel.Progress{Queued: true, Stuck: true, Held: 1}, k.Observe())
	look()
	require.Equal(t, kernel.Progress{Queued: true, Base: true, Held: 1}, k.Observe())
	require.Equal(t, 1, s.Enough(), "once is enough")
	k.Spawn(s, 2)
	k.Probe()
	look()
	require.True(t, k.Observe().Stuck, "a task lies there too")
	n, _ := k.PopOwn(s)
	require.EqualValues(t, 2, n)
	k.Inject(3, kernel.Normal)
	k.Probe()
	look()
	require.True(t, k.Observe().Stuck, "or elsewhere")
	drain(k, s)
	require.True(t, k.Unwatch())
}

// A spare slot is held from AddSpare until it is left, and gives its first sign of life at a task
// boundary.
func TestObserveSpare(t *testing.T) {
	spawned := make(chan *kernel.Slot, 1)
	k := newKernel(1, 0, func(s *kernel.Slot) { spawned <- s })
	k.Inject(1, kernel.Normal)
	k.Probe()
	k.AddSpare()
	spare := <-spawned
	require.Equal(t, kernel.Progress{Queued: true, Stuck: true, Held: 2}, k.Observe())
	n, _ := k.Next(spare)
	require.EqualValues(t, 1, n)
	k.Inject(2, kernel.Normal)
	require.Equal(t, kernel.Progress{Queued: true, Held: 2}, k.Observe(),
		"the spare is alive, the worker is not")
	require.Equal(t, []entry.Entry{2}, drain(k, k.Slots()[0]))
	r := k.NewRunner(spare, park.OS)
	k.Stop()
	require.False(t, r.Retire())
	require.Equal(t, kernel.Progress{Held: 1}, k.Observe())
}
