package parallel_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/ways"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// TestWaysToLeave lets a function leave in every way from every place that calls one. The failure
// is that of the call or, where it is the goroutine of the caller that ended, that of the task that
// made the call; and all workers go on.
func TestWaysToLeave(t *testing.T) {
	less := func(w func()) func(a, b int) int { return func(a, b int) int { w(); return a - b } }
	add := func(w func()) func(a, b int) int { return func(a, b int) int { w(); return a + b } }
	pass := func(x int) (int, error) { return x, nil }
	numbers := func() func() (int, bool) {
		n := 0
		return func() (int, bool) { n++; return n, n <= 20 }
	}
	stage := func(make func(func(int) (int, error)) parallel.Stage[int]) func(on parallel.Launcher,
		s []int, w func()) error {
		return func(on parallel.Launcher, _ []int, w func()) error {
			return parallel.Pipeline(bg, on, 3, numbers(), parallel.InOrder(pass),
				make(func(x int) (int, error) {
					if x == 7 {
						w()
					}
					return x, nil
				}), parallel.InOrder(pass), parallel.Serial(pass))
		}
	}
	for name, call := range map[string]func(on parallel.Launcher, s []int, w func()) error{
		"RangeWith": func(on parallel.Launcher, s []int, w func()) error {
			return parallel.RangeWith(on, len(s), make([]int, 2), func(*int, int, int) error {
				w()
				return nil
			})
		},
		"RangeNew": func(on parallel.Launcher, s []int, w func()) error {
			_, err := parallel.RangeNew(on, len(s), func(int) int { return 0 },
				func(*int, int, int) error { w(); return nil })
			return err
		},
		"RangeNew, what is made": func(on parallel.Launcher, s []int, w func()) error {
			_, err := parallel.RangeNew(on, len(s), func(int) int { w(); return 0 },
				func(*int, int, int) error { return nil })
			return err
		},
		"Map": func(on parallel.Launcher, s []int, w func()) error {
			return parallel.Map(on, s, s, func(x int) int { w(); return x })
		},
		"Reduce, fold": func(on parallel.Launcher, s []int, w func()) error {
			_, err := parallel.Reduce(on, s, 0, add(w), add(func() {}))
			return err
		},
		"Reduce, join": func(on parallel.Launcher, s []int, w func()) error {
			_, err := parallel.Reduce(on, s, 0, add(func() {}), add(w))
			return err
		},
		"Scan": func(on parallel.Launcher, s []int, w func()) error {
			return parallel.Scan(on, s, s, add(w))
		},
		"ScanExclusive": func(on parallel.Launcher, s []int, w func()) error {
			_, err := parallel.ScanExclusive(on, s, s, 0, add(w))
			return err
		},
		"SortFunc": func(on parallel.Launcher, s []int, w func()) error {
			return parallel.SortFunc(on, s, less(w))
		},
		"SortStableFunc": func(on parallel.Launcher, s []int, w func()) error {
			return parallel.SortStableFunc(on, s, less(w))
		},
		"Pipeline, the source": func(on parallel.Launcher, _ []int, w func()) error {
			draw := numbers()
			return parallel.Pipeline(bg, on, 3, func() (int, bool) {
				n, ok := draw()
				if n == 7 {
					w()
				}
				return n, ok
			}, parallel.InOrder(pass), parallel.Parallel(pass))
		},
		"Pipeline, Parallel": stage(parallel.Parallel[int]),
		"Pipeline, Serial":   stage(parallel.Serial[int]),
		"Pipeline, InOrder":  stage(parallel.InOrder[int]),
	} {
		t.Run(name, func(t *testing.T) {
			for i := range ways.All {
				sizes := []int{100, 20_000}
				if testing.Short() { // each way and each size, but not all pairs
					sizes = sizes[i%2:][:1]
				}
				for _, n := range sizes {
					leaveIn(t, &ways.All[i], n, call)
				}
			}
		})
	}
}

func leaveIn(t *testing.T, w *ways.Way, n int,
	call func(on parallel.Launcher, s []int, w func()) error) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	defer watch.Hangs(0, t.Name()+": "+w.Name, s)()
	values := make([]int, n)
	for i := range values {
		values[i] = (i * 7919) % n
	}
	var left, calls atomics.Int32
	leave := func() {
		if calls.Add(1) > 10 && left.CompareAndSwap(0, 1) {
			w.Do()
		}
	}
	err := s.WaitUntilTasksComplete(bg, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return call(parallel.With(c, taskgraph.Loop{Unbalanced: true}), values, leave)
	})).Launch())
	switch {
	case left.Load() == 0: // too few calls
		require.NoError(t, err)
	case w.Ends && errors.Is(err, graphevent.ErrGoexit):
	default:
		require.NoError(t, w.Check(err, graphevent.ErrGoexit))
	}
	var came atomics.Int32
	require.NoError(t, s.Rendezvous(bg, func(int, *namedthread.Thread) { came.Add(1) }))
	require.EqualValues(t, 2, came.Load())
	if err := s.Shutdown(bg); err != nil { // tasks of a pipeline whose goroutine ended
		require.True(t, w.Ends)
	}
}
