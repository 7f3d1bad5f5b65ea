package faults_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heddle-go/heddle/internal/dev/masks"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/internal/mix"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

// asChild is what a process does that was started by a test, nil in others.
var asChild func() int

func TestMain(m *testing.M) {
	if asChild != nil {
		os.Exit(asChild())
	}
	// On js the runtime keeps a goroutine of its own for events.
	watch.Main(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

var bg = context.Background()

// watched watches a test: it may not hang, leave goroutines, or leave a thread on fewer processors
// than before.
func watched(t *testing.T, what ...any) {
	t.Helper()
	watch.Test(t, what...)
	before := masks.All()
	t.Cleanup(func() {
		for thread, mask := range masks.All() {
			for _, own := range before {
				require.Equal(t, own, mask, "the processors of thread %s", thread)
				break // they are all alike, as no test binds one of the runtime's
			}
		}
	})
}

// mixed runs random programs that use every feature, with every fault of their own, several at a
// time, and returns the first thing that is wrong.
func mixed(programs int, seed uint64) error {
	const together = 3
	wrong := make([]error, together)
	var all sync.WaitGroup
	for k := range wrong {
		all.Go(func() {
			for i := k; i < programs && wrong[k] == nil; i += together {
				x := mix.New(mix.Draw(5+(i*7)%(mix.MaxLength-4), seed+uint64(i), i%4 == 3))
				stop := watch.Hangs(0, x, x.Stuck)
				wrong[k] = x.Do()
				stop()
			}
		})
	}
	all.Wait()
	for _, err := range wrong {
		if err != nil {
			return err
		}
	}
	return nil
}

// A mill has a system that a test uses by itself, and a named thread.
type mill struct {
	s        *taskgraph.System
	th       *namedthread.Thread
	onThread bool // whether some work goes there
}

// newMill starts both; end ends them, with the failures that nobody has seen.
func newMill(o taskgraph.Options, of namedthread.Options) (m *mill, end func() error) {
	o.Threads = namedthread.NewRegistry()
	of.Park = o.Park
	th, err := o.Threads.Start("mill", of)
	if err != nil {
		panic(err)
	}
	m = &mill{taskgraph.Start(o), th, true}
	return m, func() error {
		err := m.s.Shutdown(bg)
		th.Quit()
		<-th.Done()
		return err
	}
}

// grind uses the system in most ways that need no clock, n times, and checks what comes out.
func (m *mill) grind(n int) error {
	for i := range n {
		sum, groups := 0, m.s.NewGroup()
		var first, second taskgraph.Event
		err := m.s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
			one := c.Task(taskgraph.Do(func() { sum += 1 }))
			if m.onThread {
				one.On(m.th)
			}
			first = one.Launch()
			second = c.Task(taskgraph.Do(func() { sum += 10 })).After(first).Launch()
			groups.Go(c, func() {})
			left := c.Fork(double, taskgraph.Args{A: int64(i)})
			right := c.Fork(double, taskgraph.Args{A: 1})
			if got := left.Wait().A + right.Wait().A; got != int64(2*i+2) {
				return fmt.Errorf("forks yield %d", got)
			}
			return c.WaitUntilTasksComplete(bg, second)
		}))
		if err == nil {
			err = groups.Wait(bg)
		}
		if err == nil && sum != 11 {
			err = fmt.Errorf("two tasks made %d", sum)
		}
		if err == nil {
			err = m.s.WaitUntilTasksComplete(bg, m.s.Task(taskgraph.Do(func() {})).Launch())
		}
		if err == nil {
			err = m.loop(1000)
		}
		if err != nil {
			return fmt.Errorf("round %d: %w", i, err)
		}
	}
	return nil
}

func double(_ *taskgraph.Context, a *taskgraph.Args) { a.A *= 2 }

// loop visits each of n elements once.
func (m *mill) loop(n int) error {
	seen := make([]uint8, n)
	if err := m.s.ParallelFor(n, 10, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			seen[i]++
		}
	}); err != nil {
		return err
	}
	for i, times := range seen {
		if times != 1 {
			return fmt.Errorf("element %d was visited %d times", i, times)
		}
	}
	return nil
}
