//go:build !modelcheck

package kernel_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

var errStuck = errors.New("nothing can go on")

// A stage is a kernel whose goroutines take turns, and what was run.
type stage struct {
	*kernel.Kernel
	t     *turns.Scheduler
	ran   []entry.Entry
	calls []*kernel.Call
	first func(*kernel.Runner) // the first body of a runner that takes over, or nil
}

func newStage(seed uint64, workers, foreground int) *stage {
	st := &stage{t: turns.New(turns.Options{Seed: seed,
		OnStuck: func() error { return errStuck }})}
	st.Kernel = kernel.New(kernel.Config{
		Workers:    workers,
		Foreground: foreground,
		OnIdle:     func(*kernel.Slot) {},
		OnQuiet:    func() {},
		Watch:      func() {},
		Spawn:      func(s *kernel.Slot) { st.serve(s, st.first) },
		Own:        func(*kernel.Slot) any { return nil },
		Turns:      st.t,
	})
	return st
}

func named(name string) func() string { return func() string { return name } }

// serve gives s to a runner whose first body is f, if that is not nil.
func (st *stage) serve(s *kernel.Slot, f func(*kernel.Runner)) {
	st.t.Go(f == nil, named("runner"), func() {
		r := st.NewRunner(s, park.Go)
		if f != nil {
			f(r)
		}
		for {
			switch n, got := st.Search(r.Slot()); got {
			case kernel.GotTask:
				st.ran = append(st.ran, n)
			case kernel.GotCall:
				if c := st.TakeCall(r.Slot()); c != nil {
					st.calls = append(st.calls, c)
				}
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

// until lets others run until so many entries were run.
func (st *stage) until(n int) { st.t.BlockUntil(func() bool { return len(st.ran) == n }) }

// end stops the kernel and lets everything run to its end.
func (st *stage) end() {
	st.Stop()
	st.t.Quiesce()
}

// Whatever the seed chooses, a slot takes the first level that has anything, and everything is run.
func TestTurnsGoByLevel(t *testing.T) {
	for seed := range uint64(20) {
		st := newStage(seed, 1, 0)
		st.Inject(1, kernel.BackgroundNormal)
		st.Inject(2, kernel.Normal)
		st.Inject(3, kernel.High)
		st.serve(st.Slots()[0], nil)
		st.until(3)
		require.Equal(t, []entry.Entry{3, 2, 1}, st.ran)
		st.end()
	}
}

// A runner whose wait is over when the kernel stops goes on, though until then no slot was free.
func TestTurnsStopReleasesRunners(t *testing.T) {
	for seed := range uint64(20) {
		st := newStage(seed, 1, 0)
		var end func()
		back, over := false, false
		st.first = func(*kernel.Runner) { st.t.BlockUntil(func() bool { return over }) }
		st.serve(st.Slots()[0], func(r *kernel.Runner) {
			end = r.Arm()
			r.Await()
			back = true
		})
		st.t.BlockUntil(func() bool { return st.Stats().RunnerParks == 1 })
		end()
		require.False(t, back)
		st.Stop()
		st.t.BlockUntil(func() bool { return back })
		over = true
		st.t.Quiesce()
	}
}

// Once the kernel is stopped, nobody new is started for what a body has queued that holds the last
// slot: its holder takes it.
func TestTurnsStopStartsNobody(t *testing.T) {
	for seed := range uint64(20) {
		st := newStage(seed, 1, 0)
		began, stopped, over := false, false, false
		st.serve(st.Slots()[0], func(r *kernel.Runner) {
			began = true
			st.t.BlockUntil(func() bool { return stopped })
			st.Spawn(r.Slot(), 7)
			st.t.BlockUntil(func() bool { return over })
		})
		st.t.BlockUntil(func() bool { return began })
		st.Stop()
		stopped = true
		st.t.Block(-1)
		require.Equal(t, errStuck, st.t.TakeStuck())
		require.Empty(t, st.ran)
		require.Zero(t, st.Spares())
		over = true
		st.t.Quiesce()
		require.Equal(t, []entry.Entry{7}, st.ran)
	}
}

// What is for a worker is a choice like everything else that is queued, and any slot may run it.
func TestTurnsNear(t *testing.T) {
	for seed := range uint64(20) {
		st := newStage(seed, 2, 0)
		for _, s := range st.Slots() {
			st.serve(s, nil)
		}
		st.PushNear(1, 7)
		st.Inject(8, kernel.Normal)
		st.PushNear(0, 9)
		st.until(3)
		require.ElementsMatch(t, []entry.Entry{7, 8, 9}, st.ran)
		st.end()
	}
}

// A call gets to the holder of its slot, and to no other, while both wait for work.
func TestTurnsCallWhoWaits(t *testing.T) {
	for seed := range uint64(20) {
		st := newStage(seed, 2, 0)
		for _, s := range st.Slots() {
			st.serve(s, nil)
		}
		st.t.Block(-1) // until both wait, and nothing can go on
		require.Equal(t, errStuck, st.t.TakeStuck())
		c := new(kernel.Call)
		st.Call(st.Slots()[1], c)
		st.t.Block(-1)
		require.Equal(t, errStuck, st.t.TakeStuck())
		require.Equal(t, []*kernel.Call{c}, st.calls)
		require.False(t, st.Withdraw(st.Slots()[1], c))
		st.CallsOver()
		st.end()
	}
}
