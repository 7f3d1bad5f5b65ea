package main

import (
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"

	"github.com/heddle-go/heddle/contrib/gonum/tileblas"
	"github.com/heddle-go/heddle/contrib/gonum/tilelapack"
)

// sides is what is compared with gonum.
type sides struct {
	blas   *tileblas.BLAS
	lapack *tilelapack.LAPACK
}

// A way is one to do an operation: prepare is not timed.
type way struct{ prepare, do func() }

// An operation has three ways: gonum on one goroutine, gonum, and here; and perhaps a fourth, which
// forks and joins: gonum's LAPACK on our BLAS, in each of its steps.
type operation struct {
	name string
	ways func(n int, ours *sides) []way
}

var operations = []operation{
	{"A/A", same},
	{"gemm NN", gemm(blas.NoTrans, blas.NoTrans)},
	{"gemm NT", gemm(blas.NoTrans, blas.Trans)},
	{"gemm TN", gemm(blas.Trans, blas.NoTrans)},
	{"gemm TT", gemm(blas.Trans, blas.Trans)},
	{"syrk N", syrk(blas.NoTrans)},
	{"syrk T", syrk(blas.Trans)},
	{"trsm L", trsm(blas.Left)},
	{"trsm R", trsm(blas.Right)},
	{"gemv N", gemv(blas.NoTrans)},
	{"gemv T", gemv(blas.Trans)},
	{"potrf L", potrf(blas.Lower)},
	{"potrf U", potrf(blas.Upper)},
	{"getrf", getrf},
	{"geqrf", geqrf},
}

func operationNames() (names []string) {
	for _, op := range operations {
		names = append(names, op.name)
	}
	return names
}

// A serial is gonum's BLAS on one goroutine: its Dgemm in the blocks that gonum makes, one after
// the other.
type serial struct{ gonum.Implementation }

func (s serial) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, c []float64, ldc int) {
	const block = 64
	for i := 0; i < m; i += block {
		for j := 0; j < n; j += block {
			for l := 0; l < max(k, 1); l += block {
				left, right, scale := i*lda+l, l*ldb+j, 1.0
				if tA != blas.NoTrans {
					left = l*lda + i
				}
				if tB != blas.NoTrans {
					right = j*ldb + l
				}
				if l == 0 {
					scale = beta
				}
				s.Implementation.Dgemm(tA, tB, min(block, m-i), min(block, n-j), min(block, k-l),
					alpha, a[left:], lda, b[right:], ldb, scale, c[i*ldc+j:], ldc)
			}
		}
	}
}

func random(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.Float64() - 0.5
	}
	return x
}

func nothing() {}

// threeWays has the same done by three implementations of BLAS.
func threeWays(ours *sides, prepare func(), do func(b blas.Float64)) []way {
	return []way{
		{prepare, func() { do(serial{}) }},
		{prepare, func() { do(gonum.Implementation{}) }},
		{prepare, func() { do(ours.blas) }},
	}
}

func gemm(tA, tB blas.Transpose) func(n int, ours *sides) []way {
	return func(n int, ours *sides) []way {
		a, b, c := random(n*n), random(n*n), random(n*n)
		return threeWays(ours, nothing, func(bl blas.Float64) {
			bl.Dgemm(tA, tB, n, n, n, 1, a, n, b, n, 0, c, n)
		})
	}
}

// same is one thing done three times: its ratios say how far to trust those of the others.
func same(n int, _ *sides) []way {
	a, b, c := random(n*n), random(n*n), random(n*n)
	w := way{nothing, func() {
		serial{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n)
	}}
	return []way{w, w, w}
}

func syrk(tA blas.Transpose) func(n int, ours *sides) []way {
	return func(n int, ours *sides) []way {
		a, c := random(n*n), random(n*n)
		return threeWays(ours, nothing, func(b blas.Float64) {
			b.Dsyrk(blas.Lower, tA, n, n, 1, a, n, 0, c, n)
		})
	}
}

func trsm(side blas.Side) func(n int, ours *sides) []way {
	return func(n int, ours *sides) []way {
		a, b := random(n*n), random(n*n)
		for i := range n {
			a[i*n+i] = float64(n)
		}
		x := make([]float64, n*n)
		return threeWays(ours, func() { copy(x, b) }, func(b blas.Float64) {
			b.Dtrsm(side, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, a, n, x, n)
		})
	}
}

// gemv has a fourth way too: halves of the matrix by hand, on a new goroutine and this one.
func gemv(tA blas.Transpose) func(n int, ours *sides) []way {
	return func(n int, ours *sides) []way {
		a, x, y := random(n*n), random(n), random(n)
		half := func(from, to int) {
			rows, cols, part := to-from, n, from*n
			if tA != blas.NoTrans {
				rows, cols, part = n, to-from, from
			}
			gonum.Implementation{}.Dgemv(tA, rows, cols, 1, a[part:], n, x, 1, 0, y[from:], 1)
		}
		return append(threeWays(ours, nothing, func(b blas.Float64) {
			b.Dgemv(tA, n, n, 1, a, n, x, 1, 0, y, 1)
		}), way{nothing, func() {
			var other sync.WaitGroup
			other.Go(func() { half(n/2, n) })
			half(0, n/2)
			other.Wait()
		}})
	}
}

// A factorer is what all ways to factor have.
type factorer interface {
	Dpotrf(ul blas.Uplo, n int, a []float64, lda int) bool
	Dgetrf(m, n int, a []float64, lda int, ipiv []int) bool
	Dgeqrf(m, n int, a []float64, lda int, tau, work []float64, lwork int)
}

// fourWays factors copies of a: gonum's factorization with three implementations of BLAS beneath,
// and the graph.
func fourWays(ours *sides, a []float64, do func(f factorer, a []float64)) []way {
	x := make([]float64, len(a))
	with := func(b blas.Float64, f factorer) way {
		return way{func() { blas64.Use(b); copy(x, a) }, func() { do(f, x) }}
	}
	return []way{
		with(serial{}, lapackgonum.Implementation{}),
		with(gonum.Implementation{}, lapackgonum.Implementation{}),
		with(ours.blas, ours.lapack),
		with(ours.blas, lapackgonum.Implementation{}),
	}
}

func potrf(ul blas.Uplo) func(n int, ours *sides) []way {
	return func(n int, ours *sides) []way {
		a := random(n * n)
		for i := range n {
			a[i*n+i] = float64(n)
		}
		return fourWays(ours, a, func(f factorer, a []float64) {
			if !f.Dpotrf(ul, n, a, n) {
				panic("not positive definite")
			}
		})
	}
}

func getrf(n int, ours *sides) []way {
	pivots := make([]int, n)
	return fourWays(ours, random(n*n), func(f factorer, a []float64) {
		if !f.Dgetrf(n, n, a, n, pivots) {
			panic("singular")
		}
	})
}

func geqrf(n int, ours *sides) []way {
	tau, work := make([]float64, n), make([]float64, 64*n)
	return fourWays(ours, random(n*n), func(f factorer, a []float64) {
		f.Dgeqrf(n, n, a, n, tau, work, len(work))
	})
}
