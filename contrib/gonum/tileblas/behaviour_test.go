package tileblas_test

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile/tiletest"
	"github.com/heddle-go/heddle/contrib/gonum/tileblas"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/taskgraph"
)

// results are what the four routines make of matrices of order n.
func results(b blas.Float64, n int) (out [4]tiletest.Dense) {
	a, c := tiletest.Random(1, n, n, n+3), tiletest.Random(2, n, n, n)
	a.Dominant()
	for i := range out {
		out[i] = c.Clone()
	}
	b.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 2, a.Data, a.Stride, c.Data, n, 0.5, out[0].Data, n)
	b.Dsyrk(blas.Lower, blas.Trans, n, n, 1, a.Data, a.Stride, 1, out[1].Data, n)
	b.Dtrsm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n, n, 2, a.Data, a.Stride,
		out[2].Data, n)
	b.Dgemv(blas.Trans, n, n, 2, a.Data, a.Stride, c.Data, 1, 1, out[3].Data, 1)
	return out
}

func requireSame(t require.TestingT, want, got [4]tiletest.Dense) {
	for i := range want {
		tiletest.EqualBits(t, want[i], got[i])
	}
}

// TestWorkers is that results do not depend on the number of workers, nor on whether there are any.
func TestWorkers(t *testing.T) {
	want := results(start(t, 1), 300)
	for _, workers := range []int{2, 3, 8} {
		requireSame(t, want, results(start(t, workers), 300))
	}
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	b := tileblas.NewEager(sys)
	require.NoError(t, sys.Shutdown(t.Context()))
	requireSame(t, want, results(b, 300))
}

// TestNested calls from bodies, and from bodies of bodies, with one worker and with more.
func TestNested(t *testing.T) {
	want := results(start(t, 1), 150)
	for _, workers := range []int{1, 2} {
		b := start(t, workers)
		sys := b.System()
		var got [6][4]tiletest.Dense
		err := sys.Run(t.Context(), taskgraph.Run(func(c *taskgraph.Context) error {
			return c.ParallelFor(len(got), 1, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					if i%2 == 0 {
						got[i] = results(b, 150)
						continue
					}
					e := sys.Go(func() { got[i] = results(b, 150) })
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

// TestConcurrent calls from many goroutines at the same time.
func TestConcurrent(t *testing.T) {
	b := start(t, 2)
	want := results(b, 130)
	var got [12][4]tiletest.Dense
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i] = results(b, 130) })
	}
	all.Wait()
	for i := range got {
		requireSame(t, want, got[i])
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
			if rapid.IntRange(0, 5).Draw(t, name+" is bad") > 0 {
				return good
			}
			return rapid.SampledFrom([]int{-1, 0, 1, good - 1, good + 1}).Draw(t, name)
		}
		letter := func(name string, good byte) byte {
			if rapid.IntRange(0, 7).Draw(t, name+" is bad") > 0 {
				return good
			}
			return rapid.Byte().Draw(t, name)
		}
		length := func(name string) []float64 {
			return make([]float64, max(0, spoil(name, 70*70)))
		}
		m, n, k := spoil("m", 70), spoil("n", 70), spoil("k", 70)
		lda, ldb, ldc := spoil("lda", 70), spoil("ldb", 70), spoil("ldc", 70)
		incX, incY := spoil("incX", 1), spoil("incY", -1)
		a, b, c := length("a"), length("b"), length("c")
		tA, tB := blas.Transpose(letter("tA", 'N')), blas.Transpose(letter("tB", 'T'))
		side, ul := blas.Side(letter("side", 'L')), blas.Uplo(letter("ul", 'U'))
		d := blas.Diag(letter("diag", 'U'))
		for name, call := range map[string]func(b blas.Float64){
			"Dgemm": func(bl blas.Float64) {
				bl.Dgemm(tA, tB, m, n, k, 1, a, lda, b, ldb, 1, c, ldc)
			},
			"Dsyrk": func(bl blas.Float64) { bl.Dsyrk(ul, tA, n, k, 1, a, lda, 1, c, ldc) },
			"Dtrsm": func(bl blas.Float64) { bl.Dtrsm(side, ul, tA, d, m, n, 1, a, lda, b, ldb) },
			"Dgemv": func(bl blas.Float64) { bl.Dgemv(tA, m, n, 1, a, lda, b, incX, 1, c, incY) },
		} {
			want := panicOf(func() { call(gonum.Implementation{}) })
			require.Equal(t, want, panicOf(func() { call(ours) }), name)
		}
	})
}

// TestSteadyState is that the number of tiles does not change what a call allocates.
func TestSteadyState(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector lets pools forget at random")
	}
	b := start(t, 1)
	a, c := tiletest.Random(1, 640, 640, 640), tiletest.Random(2, 640, 640, 640)
	allocated := func(n int) float64 {
		return testing.AllocsPerRun(5, func() {
			b.Dgemm(blas.NoTrans, blas.NoTrans, n, n, 64, 1, a.Data, 640, a.Data, 640,
				0, c.Data, 640)
		})
	}
	few, many := allocated(256), allocated(640)
	require.LessOrEqual(t, few, 6.0)
	require.LessOrEqual(t, many, 6.0)
	require.False(t, math.IsNaN(c.At(0, 0)))
}
