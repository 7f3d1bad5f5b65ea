package namedthread_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
)

func TestTrap11_PanicKeepsThread(t *testing.T) {
	type report struct {
		v     any
		stack string
	}
	var reports []report
	th := start(t, namedthread.Options{OnPanic: func(v any, stack []byte) {
		reports = append(reports, report{v, string(stack)})
	}})
	boom := errors.New("boom")
	for range 3 {
		post(t, th, namedthread.Func(func() { panicDeepDown(boom) }))
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() { panicDeepDown(boom) }),
			0))
		// In work that a Wait runs.
		post(t, th, namedthread.Func(func() {
			require.NoError(t, th.Post(localQ, normal,
				namedthread.Func(func() { panicDeepDown(boom) }), 0))
			looks := 0
			th.Wait(localQ, func() bool { looks++; th.Wake(); return looks > 3 })
		}))
		// In work of an inner pump.
		post(t, th, namedthread.Func(func() {
			require.NoError(t, th.Post(localQ, normal,
				namedthread.Func(func() { panicDeepDown(boom) }), 0))
			_, err := th.PumpUntilIdle(localQ)
			if err != nil {
				t.Error(err)
			}
		}))
	}
	drained := make(chan struct{})
	require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() { close(drained) }), 0))
	<-drained
	ask(t, th, func() {
		require.Len(t, reports, 12)
		for _, r := range reports {
			require.Equal(t, boom, r.v)
			require.Contains(t, r.stack, "panicDeepDown")
		}
	})
}

// TestPanicInBorrowedWork: a pump of the main queue goes on looking at the local one.
func TestPanicInBorrowedWork(t *testing.T) {
	hooked := make(chan any)
	th := start(t, namedthread.Options{OnPanic: func(v any, _ []byte) { hooked <- v }})
	for i := range 3 {
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() { panic(i) }), 0))
		require.Equal(t, i, <-hooked)
	}
}

// TestTrap11_PanicNeverKillsPump: by default a panic is kept, and the pump goes on.
func TestTrap11_PanicNeverKillsPump(t *testing.T) {
	boom := errors.New("boom")
	check := func(th *namedthread.Thread) {
		var p *namedthread.PanicError
		require.ErrorAs(t, th.Err(), &p)
		require.ErrorIs(t, th.Err(), boom)
		require.Contains(t, string(p.Stack), "panicDeepDown")
		require.Equal(t, fmt.Sprintf("namedthread: work of thread %s panicked: boom", th.Name()),
			p.Error())
	}
	th := start(t, namedthread.Options{})
	for range 5 {
		post(t, th, namedthread.Func(func() { panicDeepDown(boom) }))
		post(t, th, namedthread.Func(func() { panic("a later one") }))
		ask(t, th, func() {})
	}
	check(th)

	me := attach(t)
	ran := 0
	for range 5 {
		post(t, me, namedthread.Func(func() { panicDeepDown(boom) }))
		post(t, me, namedthread.Func(func() { ran++ }))
	}
	n, err := me.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 10, n)
	require.Equal(t, 5, ran)
	check(me)
	require.ErrorIs(t, me.Detach(), boom)
}

// TestPanicWithoutHook: with Crash, a started thread's panic ends the program and shows where it
// was.
func TestPanicWithoutHook(t *testing.T) {
	const sign = "HEDDLE_TEST_PANIC"
	if os.Getenv(sign) != "" {
		th, err := namedthread.NewRegistry().Start("Doomed", namedthread.Options{Crash: true})
		require.NoError(t, err)
		post(t, th, namedthread.Func(func() { panicDeepDown(errors.New("boom")) }))
		<-th.Done()
		return
	}
	if runtime.GOOS == "js" {
		return // no processes
	}
	child := exec.Command(os.Args[0], "-test.run=^TestPanicWithoutHook$")
	child.Env = append(os.Environ(), sign+"=1")
	out, err := child.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "boom")
	require.Contains(t, string(out), "panicDeepDown")
}

//go:noinline
func panicDeepDown(err error) { panic(err) }

// TestPanicLeavesPump: with Crash, an attached thread's panic comes out of the pump, which
// can be called again.
func TestPanicLeavesPump(t *testing.T) {
	th, err := namedthread.NewRegistry().Attach("Game", namedthread.Options{Crash: true})
	require.NoError(t, err)
	ran := 0
	post(t, th, namedthread.Func(func() {
		require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() { panic("inner") }), 0))
		require.PanicsWithValue(t, "inner", func() { th.PumpUntilIdle(localQ) })
		ran++
		panic("outer")
	}))
	require.PanicsWithValue(t, "outer", func() { th.PumpUntilIdle(mainQ) })
	require.NoError(t, th.Post(localQ, normal, namedthread.Func(func() { panic("borrowed") }), 0))
	post(t, th, namedthread.Func(func() { ran++ }))
	require.PanicsWithValue(t, "borrowed", func() { th.PumpUntilIdle(mainQ) })
	for q := range namedthread.Queue(2) { // nothing is left marked as being pumped
		_, err := th.PumpUntilIdle(q)
		require.NoError(t, err)
	}
	require.Equal(t, 2, ran)
	require.PanicsWithValue(t, "cond", func() { th.Wait(localQ, func() bool { panic("cond") }) })
	_, err = th.PumpUntilIdle(localQ)
	require.NoError(t, err)
	require.PanicsWithValue(t, "cond", func() {
		th.PumpUntil(mainQ, func() bool { panic("cond") })
	})
	_, err = th.PumpUntil(mainQ, func() bool { return true })
	require.NoError(t, err)

	post(t, th, cancelJob{cancel: func(*namedthread.Thread, uint64) { panic("cancel") }})
	post(t, th, cancelJob{cancel: func(*namedthread.Thread, uint64) { ran++ }})
	require.PanicsWithValue(t, "cancel", func() { th.Detach() })
	require.NoError(t, th.Detach(), "goes on where it stopped")
	require.Equal(t, 3, ran)
}

// TestTrap11_GoexitMovesThread: work that ends its goroutine does not end the thread.
func TestTrap11_GoexitMovesThread(t *testing.T) {
	th := start(t, namedthread.Options{})
	exits := map[string]namedthread.Func{
		"plain": runtime.Goexit,
		"in an inner pump": func() {
			require.NoError(t, th.Post(localQ, normal, namedthread.Func(runtime.Goexit), 0))
			th.PumpUntilIdle(localQ)
		},
		"in a Wait's work": func() {
			require.NoError(t, th.Post(localQ, normal, namedthread.Func(runtime.Goexit), 0))
			th.Wait(localQ, func() bool { return false })
		},
		"in a condition": func() {
			th.Wait(mainQ, func() bool { runtime.Goexit(); return false })
		},
		"with a panic on the way": func() {
			defer func() { recover() }()
			defer panic("on the way")
			runtime.Goexit()
		},
	}
	ids := map[uint64]bool{}
	for range 5 {
		for name, exit := range exits {
			post(t, th, exit)
			ran := make(chan error, 1)
			post(t, th, namedthread.Func(func() {
				now, err := namedthread.Current()
				if err == nil && now != th {
					err = fmt.Errorf("on %v", now)
				}
				if id, ok := osthread.ID(); ok == nil {
					ids[id] = true
				}
				for q := range namedthread.Queue(2) {
					_, again := th.PumpUntilIdle(q)
					if (again == namedthread.ErrReentered) != (q == mainQ) {
						err = errors.Join(err, fmt.Errorf("%v queue: %w", q, again))
					}
				}
				ran <- err
			}))
			if err := <-ran; err != nil && !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	found, ok := threadOf(th)
	require.True(t, ok)
	require.Same(t, th, found)
	require.Zero(t, th.Index())
}

// threadOf asks a started thread who it is.
func threadOf(th *namedthread.Thread) (*namedthread.Thread, bool) {
	type answer struct {
		t  *namedthread.Thread
		ok bool
	}
	c := make(chan answer, 1)
	th.Post(mainQ, normal, namedthread.Func(func() {
		now, err := namedthread.Current()
		if errors.Is(err, errors.ErrUnsupported) {
			now, err = th, nil
		}
		c <- answer{now, err == nil}
	}), 0)
	a := <-c
	return a.t, a.ok
}

func TestGoexitWhileCancelling(t *testing.T) {
	th, err := namedthread.NewRegistry().Start("Exit", namedthread.Options{})
	require.NoError(t, err)
	hold := make(chan struct{})
	post(t, th, namedthread.Func(func() { <-hold }))
	var cancelled atomics.Uint64
	for range 5 {
		post(t, th, cancelJob{cancel: func(*namedthread.Thread, uint64) {
			cancelled.Add(1)
			runtime.Goexit()
		}})
	}
	th.Quit()
	close(hold)
	<-th.Done()
	require.EqualValues(t, 5, cancelled.Load())
}

func TestOSName(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // the one system that shows names in its file system
	}
	comm := func() string {
		id, err := osthread.ID()
		require.NoError(t, err)
		b, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/comm", id))
		require.NoError(t, err)
		return strings.TrimSuffix(string(b), "\n")
	}
	th, err := namedthread.NewRegistry().Start("HeddleRender", namedthread.Options{})
	require.NoError(t, err)
	require.NoError(t, th.Refused())
	ask(t, th, func() { require.Equal(t, "HeddleRender", comm()) })
	post(t, th, namedthread.Func(runtime.Goexit))
	ask(t, th, func() { require.Equal(t, "HeddleRender", comm()) })
	th.Quit()
	<-th.Done()

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := comm()
	me := attach(t)
	require.Equal(t, "Game", comm())
	require.NoError(t, me.Detach())
	require.Equal(t, before, comm())
}

// TestStartStop: neither goroutines nor OS threads nor entries are left behind by 10,000
// threads that came and went.
func TestStartStop(t *testing.T) {
	r := namedthread.NewRegistry()
	cycle := func(i int) {
		th, err := r.Start("Cycle", namedthread.Options{})
		require.NoError(t, err)
		require.Zero(t, th.Index(), "name and index are free again")
		if i%8 == 0 {
			post(t, th, namedthread.Func(runtime.Goexit))
		}
		ask(t, th, func() {})
		th.Quit()
		<-th.Done()
		require.NoError(t, th.Err())
		_, ok := r.Lookup("Cycle")
		require.False(t, ok)
	}
	for i := range 20 {
		cycle(i)
	}
	threads, goroutines := osThreads(t), runtime.NumGoroutine()
	cycles := 10_000
	if testing.Short() {
		cycles = 100
	}
	for i := range cycles {
		cycle(i)
	}
	var err error
	for range 120 { // half a minute at least, for what has yet to get a processor
		if err = goleak.Find(runtimeEvents); err == nil {
			break
		}
	}
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return runtime.NumGoroutine() <= goroutines+2 && osThreads(t) <= threads+8
	}, time.Minute, time.Millisecond)
	require.Empty(t, r.Threads())
	require.Zero(t, namedthread.OSThreadEntries())
}

// osThreads counts the OS threads of the process, where that can be told.
func osThreads(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		require.NotEqual(t, "linux", runtime.GOOS)
		return 0
	}
	return len(entries)
}

func TestCurrent(t *testing.T) {
	_, err := namedthread.Current()
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	require.ErrorIs(t, err, namedthread.ErrNotNamed)

	th := start(t, namedthread.Options{})
	ask(t, th, func() {
		now, err := namedthread.Current()
		require.NoError(t, err)
		require.Same(t, th, now)
		off := make(chan error)
		go func() { _, err := namedthread.Current(); off <- err }()
		require.ErrorIs(t, <-off, namedthread.ErrNotNamed)
	})
	_, err = namedthread.Current()
	require.ErrorIs(t, err, namedthread.ErrNotNamed)

	me := attach(t)
	now, err := namedthread.Current()
	require.NoError(t, err)
	require.Same(t, me, now)
	_, err = namedthread.NewRegistry().Attach("Twice", namedthread.Options{})
	require.ErrorIs(t, err, namedthread.ErrAttached)
	require.Zero(t, testing.AllocsPerRun(100, func() { namedthread.Current() }))
	require.NoError(t, me.Detach())
	_, err = namedthread.Current()
	require.ErrorIs(t, err, namedthread.ErrNotNamed)
}

// TestCurrentAmidComings: a goroutine that is no named thread is never taken for one, though
// the OS threads that it has run on become named ones all the time.
func TestCurrentAmidComings(t *testing.T) {
	var stop atomics.Bool
	var askers sync.WaitGroup
	for range 4 {
		askers.Go(func() {
			for !stop.Load() {
				if now, err := namedthread.Current(); err == nil {
					t.Errorf("taken for %v", now)
				}
				runtime.Gosched()
			}
		})
	}
	r := namedthread.NewRegistry()
	comings := 100
	if testing.Short() {
		comings = 25
	}
	for range comings {
		th, err := r.Start("Comes", namedthread.Options{})
		require.NoError(t, err)
		th.Quit()
		<-th.Done()
	}
	stop.Store(true)
	askers.Wait()
}

// TestBubble: with ParkGo the clock of a synctest bubble advances while a thread sleeps.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th, err := namedthread.NewRegistry().Start("Bubble",
			namedthread.Options{Park: sleepevent.ParkGo})
		require.NoError(t, err)
		begin := time.Now()
		ask(t, th, func() {
			_, err := th.PumpFor(localQ, time.Hour)
			require.NoError(t, err)
		})
		require.Equal(t, time.Hour, time.Since(begin))
		th.Quit()
		<-th.Done()
	})
}

func TestAffinity(t *testing.T) {
	if !osthread.HasAffinity || !osthread.HasPriority {
		th := start(t, namedthread.Options{Affinity: []int{0}, Priority: namedthread.ThreadLow})
		require.ErrorIs(t, th.Refused(), errors.ErrUnsupported)
		return
	}
	free, err := osthread.Affinity()
	if err != nil {
		return // it can be set only
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	one := free[len(free)-1:]
	affinity := func() []int {
		cpus, err := osthread.Affinity()
		require.NoError(t, err)
		return cpus
	}
	th := start(t, namedthread.Options{Affinity: one, Priority: namedthread.ThreadLow})
	require.NoError(t, th.Refused())
	require.Equal(t, namedthread.ThreadLow, th.ID().ThreadPriority())
	ask(t, th, func() { require.Equal(t, one, affinity()) })
	post(t, th, namedthread.Func(runtime.Goexit))
	ask(t, th, func() { require.Equal(t, one, affinity()) })

	me, err := namedthread.NewRegistry().Attach("Pinned", namedthread.Options{Affinity: one})
	require.NoError(t, err)
	require.NoError(t, me.Refused())
	require.Equal(t, one, affinity())
	require.NoError(t, me.Detach())
	require.Equal(t, free, affinity())

	// What the system refuses stops nothing.
	refused, err := namedthread.NewRegistry().Start("Refused",
		namedthread.Options{Affinity: []int{1 << 20}})
	require.NoError(t, err)
	require.Error(t, refused.Refused())
	ask(t, refused, func() {})
	refused.Quit()
	<-refused.Done()
}

func TestGoPark(t *testing.T) {
	th := start(t, namedthread.Options{Park: sleepevent.ParkGo})
	for range 20 {
		ask(t, th, func() {})
	}
}

// TestAttachedThreadGone: a goroutine that gets the OS thread id of an attached one, which ended
// without Detach, is not taken for it, and may be a named thread itself.
func TestAttachedThreadGone(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // elsewhere no id is used again, or it cannot be told
	}
	forget := func() *namedthread.Thread {
		attached := make(chan *namedthread.Thread)
		go offFirstThread(func() {
			th, err := new(namedthread.Registry).Attach("Gone", namedthread.Options{})
			if err != nil {
				t.Error(err)
			}
			attached <- th
		})
		th := <-attached
		require.Eventually(t, func() bool {
			return namedthread.Gone(th)
		}, time.Minute, time.Millisecond)
		return th
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := namedthread.OSThreadEntries()

	gone := forget()
	namedthread.PassOn(gone)
	require.Equal(t, before+1, namedthread.OSThreadEntries())
	_, err := namedthread.Current()
	require.ErrorIs(t, err, namedthread.ErrNotNamed)
	require.Equal(t, before, namedthread.OSThreadEntries())

	gone = forget()
	namedthread.PassOn(gone)
	require.PanicsWithValue(t, "namedthread: PumpUntilIdle called from outside thread Gone",
		func() { gone.PumpUntilIdle(mainQ) })
	require.PanicsWithValue(t, "namedthread: Detach called from outside thread Gone", func() {
		gone.Detach()
	})

	namedthread.PassOn(forget())
	me := attach(t)
	now, err := namedthread.Current()
	require.NoError(t, err)
	require.Same(t, me, now)
	require.NoError(t, me.Detach())
	require.Equal(t, before, namedthread.OSThreadEntries())
}

// offFirstThread runs f locked to an OS thread that ends with the goroutine, as the first one of
// the program does not.
func offFirstThread(f func()) {
	runtime.LockOSThread()
	if id, err := osthread.ID(); err != nil || id != uint64(os.Getpid()) {
		f()
		return
	}
	moved := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		close(moved)
		f()
	}()
	<-moved
	runtime.UnlockOSThread()
}

// TestAttachedThreadIDUsedAgain is TestAttachedThreadGone with the system's own doing.
func TestAttachedThreadIDUsedAgain(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		return // it takes as many threads as there are ids
	}
	type entry struct {
		id uint64
		th *namedthread.Thread
	}
	attached := make(chan entry)
	go offFirstThread(func() {
		th, _ := new(namedthread.Registry).Attach("Gone", namedthread.Options{})
		id, _ := osthread.ID()
		attached <- entry{id, th}
	})
	old := <-attached
	before := namedthread.OSThreadEntries()
	again, taken := false, false
	for range 40_000 {
		done := make(chan struct{})
		go offFirstThread(func() {
			defer close(done)
			if id, _ := osthread.ID(); id != old.id {
				return
			}
			again = true
			if now, err := namedthread.Current(); err == nil {
				taken = true
				t.Errorf("taken for %v", now)
			}
		})
		if <-done; again {
			break
		}
	}
	require.False(t, taken)
	if !again { // the system has more ids
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		namedthread.PassOn(old.th)
		namedthread.Current()
	}
	require.Equal(t, before-1, namedthread.OSThreadEntries())
}
