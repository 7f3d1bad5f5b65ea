package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// An item is what the tests send through pipelines.
type item struct {
	number int
	stages int // it has been through
}

// What is drawn passes every stage once, serial ones one at a time and those in order in order,
// with no more on their way than tokens; after a failure too, but for the one that failed.
func TestPipeline(t *testing.T) {
	all := systems(t)
	rapid.Check(t, func(rt *rapid.T) {
		tokens := rapid.IntRange(1, 9).Draw(rt, "tokens")
		n := rapid.IntRange(0, 100).Draw(rt, "n")
		kinds := rapid.SliceOfN(rapid.IntRange(0, 2), 0, 5).Draw(rt, "kinds")
		failAt, failIn := -1, 0
		how := "none"
		if len(kinds) > 0 && n > 0 && rapid.Bool().Draw(rt, "fails") {
			failAt, failIn = rapid.IntRange(0, n-1).Draw(rt, "fail at"), rapid.IntRange(0,
				len(kinds)-1).Draw(rt, "fail in")
			how = rapid.SampledFrom([]string{"error", "panic"}).Draw(rt, "how")
		}
		yield := rapid.IntRange(1, 7).Draw(rt, "yield")

		var faults [1]atomics.Pointer[string]
		fault := func(format string, args ...any) {
			text := fmt.Sprintf(format, args...)
			faults[0].Store(&text)
		}
		var live, drawing atomics.Int32
		drawn := 0 // plain: the source is called by one at a time
		source := func() (*item, bool) {
			if drawing.Add(1) != 1 {
				fault("two draw")
			}
			defer drawing.Add(-1)
			if drawn == n {
				return nil, false
			}
			drawn++
			return &item{number: drawn - 1}, true
		}
		// plain: a serial stage has them for itself, else each has its own
		through := make([][]bool, len(kinds))
		last := make([]int, len(kinds))
		var stages []parallel.Stage[*item]
		for i, kind := range kinds {
			through[i] = make([]bool, n)
			last[i] = -1
			var in atomics.Int32
			f := func(x *item) (*item, error) {
				if i == 0 && int(live.Add(1)) > tokens {
					fault("%d on their way", live.Load())
				}
				if x.stages != i || through[i][x.number] {
					fault("%d is in stage %d after %d", x.number, i, x.stages)
				}
				through[i][x.number] = true
				x.stages++
				if kind != 0 {
					if in.Add(1) != 1 {
						fault("two are in stage %d", i)
					}
					defer in.Add(-1)
				}
				if kind == 2 {
					if x.number <= last[i] || failAt < 0 && x.number != last[i]+1 {
						fault("%d after %d", x.number, last[i])
					}
					last[i] = x.number
				}
				if x.number%yield == 0 {
					runtime.Gosched()
				}
				if x.number == failAt && i == failIn {
					live.Add(-1)
					if how == "panic" {
						panic(errBoom)
					}
					return x, errBoom
				}
				if i == len(kinds)-1 {
					live.Add(-1)
				}
				return x, nil
			}
			stages = append(stages, []func(func(*item) (*item, error)) parallel.Stage[*item]{
				parallel.Parallel[*item], parallel.Serial[*item], parallel.InOrder[*item],
			}[kind](f))
		}
		err := somewhere(rt, all, func(on parallel.Launcher) error {
			return parallel.Pipeline(bg, on, tokens, source, stages...)
		})
		if text := faults[0].Load(); text != nil {
			rt.Fatal(*text)
		}
		if failAt < 0 {
			require.NoError(rt, err)
			require.Equal(rt, n, drawn)
		} else {
			require.ErrorIs(rt, err, errBoom)
		}
		for i := range through {
			for x := range drawn {
				require.Equal(rt, x != failAt || i <= failIn, through[i][x], "%d in stage %d", x, i)
			}
		}
		require.Zero(rt, live.Load())
	})
}

// A failure of the source ends the pipeline, and what was drawn goes on.
func TestPipelineSourceFails(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 3})
	for _, tokens := range []int{1, 4} {
		n, out := 0, 0
		err := parallel.Pipeline(bg, s, tokens, func() (int, bool) {
			if n++; n == 10 {
				panic(errBoom)
			}
			return n, true
		}, parallel.Serial(func(x int) (int, error) { out++; return x, nil }))
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, 9, out)
	}
}

// A stage or source that ends its goroutine costs no worker and no other value.
func TestPipelineGoexit(t *testing.T) {
	for _, inSource := range []bool{false, true} {
		for _, tokens := range []int{1, 4} {
			s := taskgraph.Start(taskgraph.Options{Workers: 3})
			n, out := 0, 0
			err := parallel.Pipeline(bg, s, tokens, func() (int, bool) {
				if n++; n == 10 && inSource {
					runtime.Goexit()
				}
				return n, n < 20
			}, parallel.InOrder(func(x int) (int, error) {
				if x == 10 {
					runtime.Goexit()
				}
				return x, nil
			}), parallel.Serial(func(x int) (int, error) { out++; return x, nil }))
			require.ErrorIs(t, err, graphevent.ErrGoexit)
			if inSource {
				require.Equal(t, 9, out)
			} else {
				require.Equal(t, n-1, out)
			}
			// The task whose goroutine ended has failed too.
			if err := s.Shutdown(bg); err != nil {
				require.ErrorIs(t, err, graphevent.ErrGoexit)
			}
		}
	}
}

// The end of the context ends the drawing and nothing else.
func TestPipelineEndsWithItsContext(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 3})
	pipe := func(ctx context.Context, cancel context.CancelCauseFunc, on parallel.Launcher) {
		n, out := 0, 0
		err := parallel.Pipeline(ctx, on, 4, func() (int, bool) {
			if n++; n == 10 {
				cancel(errBoom)
			}
			return n, true
		}, parallel.Parallel(func(x int) (int, error) { return x, nil }),
			parallel.InOrder(func(x int) (int, error) { out++; return x, nil }))
		assert.ErrorIs(t, err, graphevent.ErrCanceled)
		assert.ErrorIs(t, err, errBoom)
		assert.Equal(t, n, out)
	}
	ctx, cancel := context.WithCancelCause(bg)
	pipe(ctx, cancel, s)
	ctx, cancel = context.WithCancelCause(bg)
	defer cancel(nil)
	require.NoError(t, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		pipe(c, cancel,
			c)
		return nil
	})).Context(ctx).Launch().Wait(bg))
}

// Where there is no room for tasks the tokens run all the same.
func TestPipelineUnderABound(t *testing.T) {
	for _, policy := range []taskgraph.FullPolicy{taskgraph.FullError, taskgraph.FullInline,
		taskgraph.FullBlock} {
		s := start(t, taskgraph.Options{Workers: 2, MaxTasks: 2, WhenFull: policy})
		n, out := 0, 0
		require.NoError(t, parallel.Pipeline(bg, s, 8, func() (int, bool) {
			n++
			return n, n <= 1000
		},
			parallel.Parallel(func(x int) (int, error) { return x, nil }),
			parallel.InOrder(func(x int) (int, error) {
				if out++; x != out {
					return x, errors.New("out of order")
				}
				return x, nil
			})))
		require.Equal(t, 1000, out)
	}
}

// A shutdown that gives up ends the wait, but not before the stages.
func TestPipelineIsAbandoned(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	in, gate := make(chan struct{}), make(chan struct{})
	begun := sync.OnceFunc(func() { close(in) })
	var running atomics.Int32
	ended := make(chan error)
	go func() {
		err := parallel.Pipeline(bg, s, 2, func() (int, bool) { return 0, true },
			parallel.Serial(func(x int) (int, error) {
				running.Add(1)
				defer running.Add(-1)
				begun()
				<-gate
				return x, nil
			}))
		if running.Load() != 0 {
			err = errors.New("a stage still runs")
		}
		ended <- err
	}()
	<-in
	ctx, cancel := context.WithCancel(bg)
	cancel()
	require.Error(t, s.Shutdown(ctx))
	close(gate)
	require.ErrorIs(t, <-ended, graphevent.ErrClosed)
}

func TestPipelineAllocatesNothingForAValue(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	n := 0
	call := func(values int) func() {
		return func() {
			n = 0
			if err := parallel.Pipeline(bg, s, 4, func() (int, bool) { n++; return n, n <= values },
				parallel.Parallel(func(x int) (int, error) { return x, nil }),
				parallel.InOrder(func(x int) (int, error) { return x, nil })); err != nil {
				t.Error(err)
			}
		}
	}
	for range 20 {
		call(10_000)()
	}
	require.Less(t, testing.AllocsPerRun(5, call(10_000)), 200.)
}
