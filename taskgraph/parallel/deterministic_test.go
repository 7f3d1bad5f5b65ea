package parallel_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// In deterministic mode loops, sorts, scans and pipelines do what they should in every order, and
// the same each time.
func TestDeterministic(t *testing.T) {
	traces := map[string]bool{}
	seeds := uint64(60)
	if testing.Short() {
		seeds = 12
	}
	for seed := range seeds {
		one := everything(t, seed)
		require.Equal(t, one, everything(t, seed))
		traces[one] = true
	}
	require.Greater(t, len(traces), int(seeds)*5/6)
}

func everything(t *testing.T, seed uint64) string {
	var b bytes.Buffer
	sys := taskgraph.Start(taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: seed,
		Trace: &b}})
	ctx := context.Background()
	src := make([]int, 3000)
	for i := range src {
		src[i] = (i * 7919) % 3001
	}
	use := func(on parallel.Launcher) {
		dst := make([]int, len(src))
		require.NoError(t, parallel.Map(on, dst, src, func(v int) int { return 2 * v }))
		sum, err := parallel.Reduce(on, src, 0, func(a, v int) int { return a + v },
			func(a, b int) int { return a + b })
		require.NoError(t, err)
		require.NoError(t, parallel.Scan(on, dst, src, func(a, b int) int { return a + b }))
		require.Equal(t, sum, dst[len(dst)-1])
		copy(dst, src)
		require.NoError(t, parallel.SortStableFunc(on, dst, cmp.Compare[int]))
		for i := 1; i < len(dst); i++ {
			require.Less(t, dst[i-1], dst[i])
		}
		next, out := 0, []int{}
		read := func() (int, bool) { next++; return next, next <= 12 }
		double := func(v int) (int, error) { return 2 * v, nil }
		write := func(v int) (int, error) { out = append(out, v); return v, nil }
		require.NoError(t, parallel.Pipeline(ctx, on, 4, read, parallel.Parallel(double),
			parallel.InOrder(write)))
		require.Equal(t, []int{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24}, out)

		failure := errors.New("enough")
		for _, l := range []taskgraph.Loop{{}, {Unbalanced: true}, {Background: true, Grain: 3},
			{Serial: true}, {Limit: 2}} {
			ran, pre := make([]int, 30), 0
			l.N, l.PreWork = len(ran), func() { pre++ }
			l.Body = func(p *taskgraph.Participant, lo, hi int) error {
				for i := lo; i < hi; i++ {
					ran[i]++
				}
				return nil
			}
			require.NoError(t, on.RunLoop(l))
			require.Equal(t, 1, pre)
			for _, n := range ran {
				require.Equal(t, 1, n)
			}
			l.Body = func(*taskgraph.Participant, int, int) error { return failure }
			require.ErrorIs(t, on.RunLoop(l), failure)
		}
	}
	use(sys)
	e := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error { use(c); return nil })).Launch()
	require.NoError(t, sys.WaitUntilTasksComplete(ctx, e))
	require.NoError(t, sys.Shutdown(ctx))
	return b.String()
}
