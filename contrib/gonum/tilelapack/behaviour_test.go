package tilelapack_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile/tiletest"
	"github.com/heddle-go/heddle/contrib/gonum/tilelapack"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/taskgraph"
)

// results are the factors of matrices of order n, with what belongs to them as one row.
func results(l lapack.Float64, n int) (out [6]tiletest.Dense) {
	for i := range out {
		out[i] = tiletest.Random(uint64(i), n, n, n+i)
	}
	spd := out[0]
	for i := range n {
		spd.Data[i*spd.Stride+i] += float64(n)
	}
	out[1] = spd.Clone()
	l.Dpotrf(blas.Lower, n, out[0].Data, out[0].Stride)
	l.Dpotrf(blas.Upper, n, out[1].Data, out[1].Stride)
	pivots := make([]int, n)
	l.Dgetrf(n, n, out[2].Data, out[2].Stride, pivots)
	for i, p := range pivots {
		out[4].Data[i] = float64(p)
	}
	l.Dgeqrf(n, n, out[3].Data, out[3].Stride, out[5].Data[:n], make([]float64, n), n)
	return out
}

func requireSame(t require.TestingT, want, got [6]tiletest.Dense) {
	for i := range want {
		tiletest.EqualBits(t, want[i], got[i])
	}
}

// TestWorkers is that results do not depend on the number of workers, nor on whether there are any.
func TestWorkers(t *testing.T) {
	want := results(start(t, 1), 400)
	for _, workers := range []int{2, 3, 8} {
		requireSame(t, want, results(start(t, workers), 400))
	}
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	l := tilelapack.NewEager(sys)
	require.NoError(t, sys.Shutdown(t.Context()))
	requireSame(t, want, results(l, 400))
	require.False(t, l.Dpotrf(blas.Upper, 2, []float64{1, 2, 2, 1}, 2))
}

// TestNested calls from bodies, from bodies that these wait for, and from loops.
func TestNested(t *testing.T) {
	want := results(start(t, 1), 150)
	for _, workers := range []int{1, 2} {
		l := start(t, workers)
		sys := l.System()
		var got [8][6]tiletest.Dense
		err := sys.Run(t.Context(), taskgraph.Run(func(c *taskgraph.Context) error {
			return c.ParallelFor(len(got), 1, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					if i%2 == 0 {
						got[i] = results(l, 150)
						continue
					}
					e := sys.Go(func() { got[i] = results(l, 150) })
					if err := sys.WaitUntilTasksComplete(context.Background(), e); err != nil {
						panic(err)
					}
				}
			})
		}))
		require.NoError(t, err)
		for i := range got {
			requireSame(t, want, got[i])
		}
	}
}

// TestConcurrent calls from many goroutines at the same time, with matrices of two sizes.
func TestConcurrent(t *testing.T) {
	l := start(t, 2)
	var want [2][6]tiletest.Dense
	for i := range want {
		want[i] = results(l, 130+i)
	}
	var got [12][6]tiletest.Dense
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i] = results(l, 130+i%2) })
	}
	all.Wait()
	for i := range got {
		requireSame(t, want[i%2], got[i])
	}
}

// TestShelf is that plans are used again after others, dropped or not, and serve other matrices.
func TestShelf(t *testing.T) {
	l := start(t, 2)
	for round := range 2 {
		for n := 60; n < 100; n++ {
			a := tiletest.Random(uint64(n+round), n, n, n)
			want, pivots := a.Clone(), make([]int, n)
			require.True(t, tilelapack.NewEager(l.System()).Dgetrf(n, n, want.Data, n, pivots))
			require.True(t, l.Dgetrf(n, n, a.Data, n, pivots))
			tiletest.EqualBits(t, want, a)
		}
	}
}

// panicOf returns what f panics with, or nil.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// TestBadArguments spoils some arguments: ours then panics as gonum does, or neither does.
func TestBadArguments(t *testing.T) {
	ours := start(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		ours := either(t, ours)
		spoil := func(name string, good int) int {
			if rapid.IntRange(0, 4).Draw(t, name+" is bad") > 0 {
				return good
			}
			return rapid.SampledFrom([]int{-1, 0, 1, good - 1, good + 1}).Draw(t, name)
		}
		const n = 70
		m, cols, lda, lwork := spoil("m", n), spoil("n", n), spoil("lda", n), spoil("lwork", n)
		size := max(0, spoil("len", n*n))
		pivots := make([]int, max(0, spoil("pivots", n)))
		tau := make([]float64, max(0, spoil("tau", n)))
		work := make([]float64, max(0, spoil("work", n)))
		ul := blas.Uplo(rapid.SampledFrom([]byte{'U', 'L', 'X'}).Draw(t, "ul"))
		for name, call := range map[string]func(l lapack.Float64, a []float64){
			"Dpotrf": func(l lapack.Float64, a []float64) { l.Dpotrf(ul, cols, a, lda) },
			"Dgetrf": func(l lapack.Float64, a []float64) { l.Dgetrf(m, cols, a, lda, pivots) },
			"Dgeqrf": func(l lapack.Float64, a []float64) {
				l.Dgeqrf(m, cols, a, lda, tau, work, lwork)
			},
		} {
			want := panicOf(func() { call(gonum.Implementation{}, make([]float64, size)) })
			require.Equal(t, want, panicOf(func() { call(ours, make([]float64, size)) }), name)
		}
	})
}

// TestSteadyState is that a call with a size that was used before allocates nothing for its tiles.
func TestSteadyState(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector lets pools forget at random")
	}
	l := start(t, 1)
	const n = 400
	a := tiletest.Random(1, n, n, n)
	for i := range n {
		a.Data[i*n+i] += n
	}
	x, pivots, work := a.Clone(), make([]int, n), make([]float64, n)
	for name, call := range map[string]func(){
		"Dpotrf": func() { l.Dpotrf(blas.Lower, n, x.Data, n) },
		"Dgetrf": func() { l.Dgetrf(n, n, x.Data, n, pivots) },
		"Dgeqrf": func() { l.Dgeqrf(n, n, x.Data, n, work, x.Data[:n], n) },
	} {
		call()
		require.LessOrEqual(t, testing.AllocsPerRun(5, func() {
			copy(x.Data, a.Data)
			call()
		}), 6.0, name)
	}
}
