package tick_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/tick"
)

const ms = time.Millisecond

// groups makes n groups named a, b, …, those numbered closed without demotion.
func groups(n int, closed ...int) tick.Options {
	var o tick.Options
	for i := range n {
		o.Groups = append(o.Groups,
			tick.Group{Name: string(rune('a' + i)), NoDemotion: slices.Contains(closed, i)})
	}
	return o
}

// A book notes what ran, in order.
type book struct {
	mu    sync.Mutex
	names []string
}

func (b *book) note(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names = append(b.names, name)
}

func (b *book) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	names := b.names
	b.names = nil
	return names
}

// fn is a function that notes its name.
func (b *book) fn(name string, group int) tick.Function {
	return tick.Function{Name: name, Group: group,
		Run: func(*taskgraph.Context, time.Duration) error {
			b.note(name)
			return nil
		}}
}

func TestGroupsInOrder(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(3))
	var b book
	s.Add(b.fn("two", 2))
	s.Add(b.fn("one", 1))
	s.Add(b.fn("zero", 0))
	for range 3 {
		require.NoError(t, s.StartFrame(ms))
		require.Empty(t, b.take(), "held")
		for g, want := range []string{"zero", "one", "two"} {
			require.NoError(t, s.Run(bg, g))
			require.Equal(t, []string{want}, b.take())
		}
		require.NoError(t, s.EndFrame(bg))
		require.Empty(t, b.take())
	}
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, []string{"zero", "one", "two"}, b.take(),
		"EndFrame runs what was not released")
}

// A release that does not block returns before its functions have ended, and the next Run that
// blocks waits for them.
func TestRelease(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(3))
	gate := sys.NewEvent()
	var b book
	slow := s.Add(tick.Function{Name: "slow", Group: 0,
		Run: func(c *taskgraph.Context, _ time.Duration) error {
			defer b.note("slow")
			return c.Wait(gate)
		}})
	long := s.Add(tick.Function{Name: "long", Group: 0, End: 2,
		Run: func(c *taskgraph.Context, _ time.Duration) error {
			defer b.note("long")
			return c.Wait(slow.Event(), gate)
		}})
	s.Add(tick.Function{Name: "opens", Group: 1,
		Run: func(*taskgraph.Context, time.Duration) error {
			gate.Trigger()
			return nil
		}})
	require.NoError(t, s.StartFrame(ms))
	s.Release(0)
	require.False(t, slow.Event().IsComplete())
	require.NoError(t, s.Run(bg, 1))
	require.True(t, slow.Event().IsComplete())
	require.Equal(t, "slow", b.take()[0])
	require.NoError(t, s.Run(bg, 2))
	require.True(t, long.Event().IsComplete())
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, taskgraph.Event{}, long.Event(), "outside a frame there is none")
}

// A wait for a group does not wait for what may end later.
func TestEndGroup(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(3))
	gate := sys.NewEvent()
	long := s.Add(tick.Function{Name: "long", Group: 0, End: 1,
		Run: func(c *taskgraph.Context, _ time.Duration) error {
			return c.Wait(gate)
		}})
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.Run(bg, 0))
	require.False(t, long.Event().IsComplete())
	gate.Trigger()
	require.NoError(t, s.Run(bg, 1))
	require.True(t, long.Event().IsComplete())
	require.NoError(t, s.EndFrame(bg))
}

// Of a group those of high priority run first, and of these those first that end first.
func TestHighPriorityFirst(t *testing.T) {
	// In a bubble the system adds no worker for the one that is kept busy, however long a busy
	// machine takes: no time passes meanwhile.
	synctest.Test(t, func(t *testing.T) {
		sys := start(t, taskgraph.Options{Workers: 1, Park: sleepevent.ParkGo})
		s := tick.New(sys, groups(2))
		var b book
		add := func(name string, end int, high bool) {
			f := b.fn(name, 0)
			f.End, f.High = end, high
			s.Add(f)
		}
		add("late", 1, false)
		add("normal", 0, false)
		add("high late", 1, true)
		add("high", 0, true)
		for range 3 {
			// The only worker is busy until all are queued.
			hold := make(chan struct{})
			busy := sys.Go(func() { <-hold })
			for busy.State() != graphevent.StateExecuting {
				runtime.Gosched()
			}
			require.NoError(t, s.StartFrame(ms))
			s.Release(0)
			close(hold)
			require.NoError(t, s.EndFrame(bg))
			require.Equal(t, []string{"high", "high late", "normal", "late"}, b.take())
		}
	})
}

func TestPrerequisites(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 4})
	s := tick.New(sys, groups(1))
	var b book
	const n = 50
	ticks := make([]*tick.Tick, n)
	want := make([]string, n)
	for i := n - 1; i >= 0; i-- { // added last to first
		want[i] = fmt.Sprint(i)
		ticks[i] = s.Add(b.fn(want[i], 0))
		if i+1 < n {
			ticks[i+1].After(ticks[i])
		}
	}
	for range 3 {
		require.NoError(t, s.StartFrame(ms))
		require.NoError(t, s.EndFrame(bg))
		require.Equal(t, want, b.take())
	}
	// Who is removed is nobody's prerequisite, and does not run.
	ticks[10].Remove()
	ticks[10].Remove()
	ticks[10].After(ticks[1])
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.ElementsMatch(t, slices.Delete(slices.Clone(want), 10, 11), b.take())
}

func TestDemotion(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	for name, test := range map[string]struct {
		closed       []int
		pStart, pEnd int // the prerequisite
		start, end   int // declared
		wantStart    int
		wantEnd      int
	}{
		"none":                         {nil, 0, 0, 0, 0, 0, 0},
		"earlier":                      {nil, 0, 1, 3, 3, 3, 3},
		"starts later":                 {nil, 2, 2, 0, 0, 2, 2},
		"starts later, ends in time":   {nil, 2, 2, 0, 3, 2, 3},
		"ends later":                   {nil, 0, 2, 0, 0, 2, 2},
		"ends later than it may":       {nil, 0, 3, 1, 2, 3, 3},
		"ends as late":                 {nil, 0, 2, 0, 2, 0, 2},
		"not into a closed group":      {[]int{2}, 2, 2, 0, 0, 3, 3},
		"not into two closed groups":   {[]int{1, 2}, 0, 1, 0, 0, 3, 3},
		"closed, but its own":          {[]int{2}, 2, 2, 2, 2, 2, 2},
		"closed, and the start is due": {[]int{1}, 1, 1, 0, 3, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := tick.New(sys, groups(4, test.closed...))
			var b book
			p := b.fn("p", test.pStart)
			p.End = test.pEnd
			f := b.fn("f", test.start)
			f.End, f.After = test.end, []*tick.Tick{s.Add(p)}
			d := s.Add(f)
			for range 2 {
				require.NoError(t, s.StartFrame(ms))
				start, end := d.Groups()
				require.Equal(t, []int{test.wantStart, test.wantEnd}, []int{start, end})
				for g := range 4 {
					require.NoError(t, s.Run(bg, g))
					if g >= end {
						require.True(t, d.Event().IsComplete(), "group %d", g)
					}
					if g < start {
						require.False(t, d.Event().IsComplete(), "group %d", g)
					}
				}
				require.NoError(t, s.EndFrame(bg))
				require.Equal(t, []string{"p", "f"}, b.take())
			}
		})
	}
}

// Who does not tick in a frame demotes nobody in it.
func TestDemotionLastsAFrame(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(3))
	var b book
	p := b.fn("p", 2)
	p.Interval = 2 * ms
	f := b.fn("f", 0)
	f.After = []*tick.Tick{s.Add(p)}
	d := s.Add(f)
	for i := range 6 {
		require.NoError(t, s.StartFrame(ms))
		require.NoError(t, s.EndFrame(bg))
		start, _ := d.Groups()
		if i%2 == 0 {
			require.Equal(t, []string{"p", "f"}, b.take())
			require.Equal(t, 2, start)
		} else {
			require.Equal(t, []string{"f"}, b.take())
			require.Equal(t, 0, start)
		}
	}
}

func TestInterval(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(1))
	var now time.Duration
	var at, dts []time.Duration
	s.Add(tick.Function{Name: "slow", Interval: 100 * ms,
		Run: func(_ *taskgraph.Context, dt time.Duration) error {
			at, dts = append(at, now), append(dts, dt)
			return nil
		}})
	for range 3 { // others, so that the heap has something to do
		for _, d := range []time.Duration{70, 30, 500, 20} {
			s.Add(tick.Function{Interval: d * ms,
				Run: func(*taskgraph.Context, time.Duration) error { return nil }})
		}
	}
	for now = 30 * ms; now <= 600*ms; now += 30 * ms {
		require.NoError(t, s.StartFrame(30*ms))
		require.NoError(t, s.EndFrame(bg))
	}
	// Due at 30, 130, 230, …: what a frame is late does not add up.
	require.Equal(t, []time.Duration{30 * ms, 150 * ms, 240 * ms, 330 * ms, 450 * ms, 540 * ms}, at)
	require.Equal(t, []time.Duration{30 * ms, 120 * ms, 90 * ms, 90 * ms, 120 * ms, 90 * ms}, dts)

	// Times that pass within one frame are left out.
	at = nil
	// 1600, 1610, 1630, 1640
	for _, dt := range []time.Duration{1000 * ms, 10 * ms, 20 * ms, 10 * ms} {
		now += dt
		require.NoError(t, s.StartFrame(dt))
		require.NoError(t, s.EndFrame(bg))
	}
	require.Len(t, at, 2)
}

// What is added in a frame ticks in it: in its own group, or the next one.
func TestAddedDuringAFrame(t *testing.T) {
	for _, interval := range []time.Duration{0, 3 * ms} {
		sys := start(t, taskgraph.Options{Workers: 2})
		s := tick.New(sys, groups(4, 2))
		var b book
		var early, same, late, slow *tick.Tick
		var once sync.Once
		spawn := func(*taskgraph.Context, time.Duration) error {
			once.Do(func() {
				with := func(name string, g int, after ...*tick.Tick) *tick.Tick {
					f := b.fn(name, g)
					f.After, f.Interval = after, interval
					return s.Add(f)
				}
				early, same, late = with("early", 0), with("same", 1), with("late", 3)
				slow = with("slow", 1, late)
			})
			return nil
		}
		s.Add(tick.Function{Name: "spawn", Group: 1, Run: spawn})
		require.NoError(t, s.StartFrame(ms))
		require.NoError(t, s.Run(bg, 0))
		require.NoError(t, s.Run(bg, 1))
		require.Empty(t, b.take())
		require.Equal(t, taskgraph.Event{}, early.Event())
		require.NoError(t, s.Run(bg, 2))
		require.Empty(t, b.take(), "nothing is demoted into a closed group")
		require.NoError(t, s.Run(bg, 3))
		names := b.take()
		require.ElementsMatch(t, []string{"early", "same", "late", "slow"}, names)
		require.Less(t, slices.Index(names, "late"), slices.Index(names, "slow"))
		require.NoError(t, s.EndFrame(bg))
		for _, d := range []*tick.Tick{early, same, late, slow} {
			start, end := d.Groups()
			require.Equal(t, []int{3, 3}, []int{start, end})
		}
		// Then it ticks as if it had always been there.
		for i := range 6 {
			require.NoError(t, s.StartFrame(ms))
			require.NoError(t, s.Run(bg, 0))
			if interval == 0 || i%3 == 2 {
				require.Equal(t, []string{"early"}, b.take())
				require.NoError(t, s.EndFrame(bg))
				require.Equal(t, []string{"same", "late", "slow"}, b.take())
			} else {
				require.NoError(t, s.EndFrame(bg))
				require.Empty(t, b.take())
			}
		}
	}
}

// At the end of the frame what is added runs in rounds.
func TestAddedAtTheEnd(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(2))
	var b book
	left := 20
	var next func(*taskgraph.Context, time.Duration) error
	next = func(*taskgraph.Context, time.Duration) error {
		if left > 0 {
			left--
			f := b.fn(fmt.Sprint(left), 0)
			f.Run = func(c *taskgraph.Context, dt time.Duration) error {
				b.note(f.Name)
				return next(c, dt)
			}
			s.Add(f)
		}
		return nil
	}
	s.Add(tick.Function{Name: "seed", Group: 1, Run: next})
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Len(t, b.take(), 20)
	require.Zero(t, left)
}

func TestRunaway(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(1))
	var mu sync.Mutex
	ran := map[string]int{}
	stop := false
	var more func(*taskgraph.Context, time.Duration) error
	more = func(*taskgraph.Context, time.Duration) error {
		if !stop {
			name := fmt.Sprint("child ", len(ran))
			s.Add(tick.Function{Name: name,
				Run: func(c *taskgraph.Context, dt time.Duration) error {
					mu.Lock()
					ran[name]++
					again := ran[name] > 1
					mu.Unlock()
					if again {
						return nil
					}
					return more(c, dt)
				}})
		}
		return nil
	}
	root := s.Add(tick.Function{Name: "root", Run: more})
	require.NoError(t, s.StartFrame(ms))
	err := s.EndFrame(bg)
	require.ErrorIs(t, err, tick.ErrRunaway)
	require.ErrorContains(t, err, `"child 100" and what comes after it begin with the next frame`)
	require.Len(t, ran, 100)

	stop = true
	root.Remove()
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, 1, ran["child 100"])
	require.Equal(t, 2, ran["child 0"])
}

func TestRemove(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(2))
	var b book
	f := b.fn("interval", 0)
	f.Interval = ms
	later, every, added := s.Add(b.fn("later", 1)), s.Add(f), (*tick.Tick)(nil)
	var self *tick.Tick
	self = s.Add(tick.Function{Name: "self", Run: func(*taskgraph.Context, time.Duration) error {
		b.note("self")
		later.Remove() // held, and does not run any more
		every.Remove()
		self.Remove()
		added = s.Add(b.fn("added", 0))
		added.Remove()
		return nil
	}})
	self.After(every)
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, []string{"interval", "self"}, b.take())
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Empty(t, b.take())
}

func TestCycle(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(2))
	var b book
	x, y, z := s.Add(b.fn("x", 0)), s.Add(b.fn("y", 0)), s.Add(b.fn("z", 1))
	f := b.fn("rare", 0)
	f.Interval, f.After = 2*ms, []*tick.Tick{x}
	rare := s.Add(f)
	x.After(y)
	y.After(z)
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, []string{"z", "y", "x", "rare"}, b.take())

	z.After(x)
	for range 3 { // no frame begins, and no time passes
		err := s.StartFrame(2 * ms)
		var cycle *taskgraph.CycleError
		require.ErrorAs(t, err, &cycle)
		require.Equal(t, []string{"x", "y", "z"}, cycle.Path)
		require.PanicsWithValue(t, "tick: EndFrame outside a frame: call StartFrame first", func() {
			_ = s.EndFrame(bg)
		})
	}
	z.Remove()
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, []string{"y", "x"}, b.take())
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, []string{"y", "x", "rare"}, b.take())

	// A circle of what is added during a frame is a failure of that frame.
	rare.Remove()
	var p, q *tick.Tick
	once := s.Add(tick.Function{Name: "once", Run: func(*taskgraph.Context, time.Duration) error {
		if p == nil {
			p, q = s.Add(b.fn("p", 1)), s.Add(b.fn("q", 1))
			p.After(q)
			q.After(p)
		}
		return nil
	}})
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.Run(bg, 0))
	require.NoError(t, s.Run(bg, 1))
	require.ErrorContains(t, s.EndFrame(bg), "cycle: p, which waits for q, waits for itself")
	require.Equal(t, []string{"y", "x"}, b.take())
	q.Remove()
	once.Remove()
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, []string{"y", "x", "p"}, b.take())
}

func TestFailure(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(3))
	var b book
	no := errors.New("no")
	fail := true
	bad := s.Add(tick.Function{Name: "bad", Group: 1,
		Run: func(*taskgraph.Context, time.Duration) error {
			if fail {
				return no
			}
			return nil
		}})
	s.Add(tick.Function{Name: "worse", Group: 2,
		Run: func(*taskgraph.Context, time.Duration) error {
			if fail {
				panic("worse")
			}
			return nil
		}})
	f := b.fn("dependent", 1)
	f.After = []*tick.Tick{bad}
	s.Add(f)
	s.Add(b.fn("other", 2))

	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.Run(bg, 0))
	err := s.Run(bg, 1)
	require.ErrorIs(t, err, no)
	require.EqualError(t, err, `tick: "bad": no (and 1 more failed or were skipped)`)
	last := s.Run(bg, 2)
	var p *graphevent.PanicError
	require.ErrorAs(t, last, &p)
	require.ErrorContains(t, last, `tick: "worse": `)
	require.Equal(t, err, s.EndFrame(bg), "the first failure of the frame")
	require.Equal(t, []string{"other"}, b.take())

	fail = false
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.ElementsMatch(t, []string{"dependent", "other"}, b.take())
}

// The failure of what a tick puts its end off to is that tick's, even if that was only skipped.
func TestFailureElsewhere(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(1))
	no := errors.New("no")
	s.Add(tick.Function{Name: "outer", Run: func(c *taskgraph.Context, _ time.Duration) error {
		bad := c.Task(taskgraph.Try(func() error { return no })).Launch()
		c.DontCompleteUntil(c.Task(taskgraph.Do(func() {})).After(bad).Launch())
		return nil
	}})
	require.NoError(t, s.StartFrame(ms))
	err := s.EndFrame(bg)
	require.ErrorIs(t, err, no)
	require.ErrorContains(t, err, `tick: "outer": `)
}

// A wait that its context ends leaves the frame as it is.
func TestContextEnds(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(2))
	gate := sys.NewEvent()
	var b book
	slow := s.Add(tick.Function{Name: "slow",
		Run: func(c *taskgraph.Context, _ time.Duration) error {
			defer b.note("slow")
			return c.Wait(gate)
		}})
	s.Add(b.fn("after", 1))
	ctx, cancel := context.WithCancel(bg)
	cancel()
	require.NoError(t, s.StartFrame(ms))
	require.ErrorIs(t, s.Run(ctx, 0), context.Canceled)
	require.ErrorIs(t, s.EndFrame(ctx), context.Canceled)
	require.ErrorIs(t, s.EndFrame(ctx), context.Canceled)
	require.False(t, slow.Event().IsComplete())
	gate.Trigger()
	require.NoError(t, s.EndFrame(bg))
	require.ElementsMatch(t, []string{"slow", "after"}, b.take())
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.ElementsMatch(t, []string{"slow", "after"}, b.take())
}

// With a thread, what may run anywhere runs on workers, unless it is demoted.
func TestThread(t *testing.T) {
	guardThread(t, func(th *namedthread.Thread, threads *namedthread.Registry) {
		sys := start(t, taskgraph.Options{Workers: 2, Threads: threads})
		o := groups(3)
		o.Thread = th
		s := tick.New(sys, o)
		var mu sync.Mutex
		on := map[string]*namedthread.Thread{}
		where := func(name string, g int, any bool, after ...*tick.Tick) *tick.Tick {
			return s.Add(tick.Function{Name: name, Group: g, AnyThread: any, After: after,
				Run: func(c *taskgraph.Context, _ time.Duration) error {
					mu.Lock()
					defer mu.Unlock()
					on[name] = c.Thread()
					return nil
				}})
		}
		where("bound", 0, false)
		where("free", 0, true)
		p := where("late", 2, true)
		where("demoted", 0, true, p)
		for i := range 4 {
			if i == 2 {
				p.Remove() // then nothing is demoted
			}
			clear(on)
			require.NoError(t, s.StartFrame(ms))
			s.Release(0)
			_, err := th.PumpUntilIdle(namedthread.QueueMain)
			require.NoError(t, err)
			mu.Lock()
			require.Contains(t, on, "bound")
			mu.Unlock()
			require.NoError(t, s.EndFrame(bg))
			require.Equal(t, th, on["bound"])
			require.Nil(t, on["free"])
			if i < 2 {
				require.Equal(t, th, on["demoted"])
			} else {
				require.Contains(t, on, "demoted")
				require.Nil(t, on["demoted"])
			}
		}
	})
}

// TestThreadOfAnotherRegistry: who names a thread that is none of the system's is told at once, and
// nothing is left behind that a Shutdown would wait for.
func TestThreadOfAnotherRegistry(t *testing.T) {
	guardThread(t, func(strange *namedthread.Thread, _ *namedthread.Registry) {
		for _, reg := range []*namedthread.Registry{nil, namedthread.NewRegistry()} {
			for _, bound := range []int{0, 100} {
				s := start(t, taskgraph.Options{Workers: 2, Threads: reg, MaxTasks: bound})
				for range 3 {
					v := func() (v any) {
						defer func() { v = recover() }()
						tick.New(s, tick.Options{Groups: []tick.Group{{Name: "g"}},
							Thread: strange})
						return nil
					}()
					require.Contains(t, v, `namedthread "Game"`)
					require.Regexp(t, "registry|no Options.Threads", v)
				}
				require.NoError(t, s.WaitUntilTasksComplete(bg, s.Go(func() {})))
			}
		}
	})
}

// guardThread calls f on a named thread.
func guardThread(t *testing.T, f func(*namedthread.Thread, *namedthread.Registry)) {
	t.Helper()
	threads := namedthread.NewRegistry()
	th, err := threads.Attach("Game", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, th.Detach()) })
	f(th, threads)
}

// A body can run the frame, with one worker.
func TestFrameInsideABody(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 1})
	s := tick.New(sys, groups(2))
	var b book
	s.Add(b.fn("x", 0))
	s.Add(b.fn("y", 1))
	require.NoError(t, sys.WaitUntilTasksComplete(bg,
		sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if err := s.StartFrame(ms); err != nil {
				return err
			}
			if err := s.Run(c, 0); err != nil {
				return err
			}
			return s.EndFrame(c)
		})).Launch()))
	require.Equal(t, []string{"x", "y"}, b.take())
}

// What is no tick can come after one of the frame, before that is released.
func TestEvent(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(2))
	var b book
	x := s.Add(b.fn("x", 1))
	for range 3 {
		require.NoError(t, s.StartFrame(ms))
		draw := sys.Task(taskgraph.Do(func() { b.note("draw") })).After(x.Event()).Launch()
		require.NoError(t, s.EndFrame(bg))
		require.NoError(t, sys.WaitUntilTasksComplete(bg, draw))
		require.Equal(t, []string{"x", "draw"}, b.take())
	}
}

// An End before Group stands for Group, also a negative one.
func TestEndBeforeGroup(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(3))
	var b book
	for i, end := range []int{-7, 0, 1} {
		f := b.fn(fmt.Sprint(i), 1)
		f.End = end
		s.Add(f)
	}
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.Run(bg, 0))
	require.Empty(t, b.take())
	require.NoError(t, s.Run(bg, 1))
	require.ElementsMatch(t, []string{"0", "1", "2"}, b.take())
	require.NoError(t, s.EndFrame(bg))
}

func TestMisuse(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	run := func(*taskgraph.Context, time.Duration) error { return nil }
	s, other := tick.New(sys, groups(3)), tick.New(sys, groups(1))
	a := s.Add(tick.Function{Name: "a", Run: run})
	foreign := other.Add(tick.Function{Run: run})
	require.Equal(t, "tick 1", foreign.String())
	closed := groups(2, 1)
	for want, f := range map[string]func(){
		"tick: New without a system": func() {
			tick.New(nil, groups(1))
		},
		"tick: New with 0 groups, want 1 to 64": func() {
			tick.New(sys, tick.Options{})
		},
		"tick: New with 65 groups, want 1 to 64": func() {
			tick.New(sys, groups(65))
		},
		`tick: New with NoDemotion for the last group, "b"`: func() { tick.New(sys, closed) },
		`tick: Add of "n" without Run`: func() {
			s.Add(tick.Function{Name: "n"})
		},
		`tick: Add of "n" to group 3 of 3`: func() {
			s.Add(tick.Function{Name: "n", Run: run, Group: 3})
		},
		`tick: Add of "n" to group -1 of 3`: func() {
			s.Add(tick.Function{Name: "n", Run: run, Group: -1})
		},
		`tick: Add of "n" with end group 4 of 3`: func() {
			s.Add(tick.Function{Name: "n", Run: run, End: 4})
		},
		`tick: Add of "n" with a negative Interval`: func() {
			s.Add(tick.Function{Name: "n", Run: run, Interval: -1})
		},
		`tick: "n" after a tick that is not of its set`: func() {
			s.Add(tick.Function{Name: "n", Run: run, After: []*tick.Tick{foreign}})
		},
		`tick: "a" after a tick that is not of its set`:         func() { a.After(nil) },
		`tick: "a" after itself`:                                func() { a.After(a) },
		"tick: After of a zero Tick":                            func() { new(tick.Tick).After(a) },
		"tick: Remove of a zero Tick":                           func() { new(tick.Tick).Remove() },
		"tick: StartFrame with a negative time":                 func() { _ = s.StartFrame(-1) },
		"tick: Release outside a frame: call StartFrame first":  func() { s.Release(0) },
		"tick: Run outside a frame: call StartFrame first":      func() { _ = s.Run(bg, 0) },
		"tick: EndFrame outside a frame: call StartFrame first": func() { _ = s.EndFrame(bg) },
	} {
		require.PanicsWithValue(t, want, f)
	}
	require.NoError(t, s.StartFrame(ms))
	require.PanicsWithValue(t, "tick: StartFrame inside a frame: call EndFrame first", func() {
		_ = s.StartFrame(ms)
	})
	require.PanicsWithValue(t, "tick: release of group 1 (b), but the next one is group 0 (a)",
		func() { s.Release(1) })
	require.NoError(t, s.Run(bg, 0))
	require.PanicsWithValue(t, "tick: release of group 0 (a), but the next one is group 1 (b)",
		func() { _ = s.Run(bg, 0) })
	s.Release(1)
	s.Release(2)
	require.PanicsWithValue(t,
		"tick: release of group 3, which there is not, but all have been released", func() {
			s.Release(3)
		})
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, taskgraph.Event{}, new(tick.Tick).Event())

	// From inside the frame it is named as well.
	var inside any
	a.Remove()
	s.Add(tick.Function{Name: "inside", Run: func(c *taskgraph.Context, _ time.Duration) error {
		defer func() { inside = recover() }()
		return s.EndFrame(c)
	}})
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, "tick: EndFrame while another call runs the frame", inside)
}

// A call that is refused because another one runs the frame takes nothing from that one: the next
// call is refused as well.
func TestRefusedCallsLeaveTheFrameToItsCall(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(2))
	s.Add(tick.Function{Name: "inside", Run: func(c *taskgraph.Context, _ time.Duration) error {
		for what, f := range map[string]func(){
			"Run": func() { _ = s.Run(c, 1) }, "Release": func() { s.Release(1) },
			"EndFrame": func() { _ = s.EndFrame(c) }, "StartFrame": func() { _ = s.StartFrame(ms) },
		} {
			for range 2 {
				assert.PanicsWithValue(t, "tick: "+what+" while another call runs the frame", f)
			}
		}
		return nil
	}})
	require.NoError(t, s.StartFrame(ms))
	require.NoError(t, s.Run(bg, 0))
	require.NoError(t, s.EndFrame(bg))
}

// After a shutdown a frame fails, and does not hang.
func TestAfterShutdown(t *testing.T) {
	sys := taskgraph.Start(taskgraph.Options{})
	s := tick.New(sys, groups(2))
	var b book
	x := s.Add(b.fn("x", 0))
	f := b.fn("y", 1)
	f.After = []*tick.Tick{x}
	s.Add(f)
	require.NoError(t, sys.Shutdown(bg))
	for range 2 {
		require.NoError(t, s.StartFrame(ms))
		require.ErrorIs(t, s.EndFrame(bg), graphevent.ErrClosed)
	}
	require.Empty(t, b.take())
}

// After warm-up a frame allocates nothing.
func TestAllocations(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 2})
	s := tick.New(sys, groups(4, 1))
	run := func(*taskgraph.Context, time.Duration) error { return nil }
	var all []*tick.Tick
	for i := range 40 {
		f := tick.Function{Run: run, Group: i % 3, End: i % 4, High: i%5 == 0}
		if i%7 == 0 {
			f.Interval = time.Duration(i%3+1) * ms
		}
		if i > 3 {
			f.After = []*tick.Tick{all[i/2], all[i-1]}
		}
		all = append(all, s.Add(f))
	}
	frame := func() {
		if err := s.StartFrame(ms); err != nil {
			t.Error(err)
		}
		s.Release(0)
		if err := s.Run(bg, 1); err != nil {
			t.Error(err)
		}
		if err := s.EndFrame(bg); err != nil {
			t.Error(err)
		}
	}
	for range 300 {
		frame()
	}
	require.Less(t, testing.AllocsPerRun(300, frame), 1.0)
}

// The system's reports know a function by its name, or by its number if it has none.
func TestReportsNameFunctions(t *testing.T) {
	sys := start(t, taskgraph.Options{Workers: 1})
	s := tick.New(sys, groups(1))
	gate := sys.NewEvent()
	waits := func(c *taskgraph.Context, _ time.Duration) error { return c.Wait(gate) }
	first := s.Add(tick.Function{Name: "named", Group: 0, Run: waits})
	second := s.Add(tick.Function{Group: 0, Run: waits})
	require.NoError(t, s.StartFrame(ms))
	s.Release(0)
	text := sys.Stuck().String()
	require.Contains(t, text, "named")
	require.Contains(t, text, second.String())
	gate.Trigger()
	require.NoError(t, s.EndFrame(bg))
	require.Equal(t, "named", first.String())
}

// The system calls the task of a function by the name of the function.
func TestTasksHaveTheNamesOfTheirFunctions(t *testing.T) {
	var said []string
	sys := start(t, taskgraph.Options{Workers: 1,
		OnFailure: func(name string, _ error) { said = append(said, name) }})
	s := tick.New(sys, groups(1))
	boom := errors.New("boom")
	s.Add(tick.Function{Name: "loom", Run: func(*taskgraph.Context, time.Duration) error {
		return boom
	}})
	require.NoError(t, s.StartFrame(ms))
	require.ErrorIs(t, s.EndFrame(bg), boom)
	require.Equal(t, []string{`task "loom"`}, said)
}
