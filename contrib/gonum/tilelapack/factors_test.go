package tilelapack_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/gonum"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile/tiletest"
	"github.com/heddle-go/heddle/contrib/gonum/tilelapack"
)

var (
	reference blasgonum.Implementation
	theirs    gonum.Implementation
)

// positive returns a symmetric positive definite matrix.
func positive(t *rapid.T, n int) tiletest.Dense {
	a := tiletest.Matrix(t, "a", n, n)
	for i := range n {
		for j := range i {
			a.Data[j*a.Stride+i] = a.At(i, j)
		}
		a.Data[i*a.Stride+i] = float64(n) + 1
	}
	return a
}

// TestDpotrf has the bound of Higham, Accuracy and Stability of Numerical Algorithms, 2002, theorem
// 10.3, for each element: |a - l lᵀ| <= gamma(n+1) |l| |l|ᵀ.
func TestDpotrf(t *testing.T) {
	l := start(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		l := either(t, l)
		ul := tiletest.Uplo(t, "ul")
		n := tiletest.Size(t, "n")
		a := positive(t, n)
		f := a.Clone()
		require.True(t, l.Dpotrf(ul, n, f.Data, f.Stride))
		f.EqualGaps(t, a)
		for i := range n { // the other triangle is as it was, and then of no use
			for j := range n {
				if i != j && (j > i) != (ul == blas.Upper) {
					require.Equal(t, a.At(i, j), f.At(i, j))
					f.Data[i*f.Stride+j] = 0
				}
			}
		}
		first, second := blas.NoTrans, blas.Trans
		if ul == blas.Upper {
			first, second = second, first
		}
		product, size := f.Clone(), f.Abs()
		multiply(first, second, n, n, n, f, f, product)
		multiply(first, second, n, n, n, f.Abs(), f.Abs(), size)
		within(t, a, product, size, 2*tiletest.Gamma(n+2))
	})
}

func multiply(tA, tB blas.Transpose, m, n, k int, a, b, c tiletest.Dense) {
	reference.Dgemm(tA, tB, m, n, k, 1, a.Data, a.Stride, b.Data, b.Stride, 0, c.Data, c.Stride)
}

func within(t require.TestingT, want, got, size tiletest.Dense, bound float64) {
	for i := range want.Rows {
		for j := range want.Cols {
			require.InDelta(t, want.At(i, j), got.At(i, j), bound*size.At(i, j), "%d, %d", i, j)
		}
	}
}

// TestDpotrfFails is that the answer is gonum's where a is not positive definite, and that the
// graph is none the worse for it.
func TestDpotrfFails(t *testing.T) {
	l := start(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		l := either(t, l)
		ul := tiletest.Uplo(t, "ul")
		n := rapid.IntRange(1, 300).Draw(t, "n")
		a := positive(t, n)
		good := a.Clone()
		i := rapid.IntRange(0, n-1).Draw(t, "i")
		a.Data[i*a.Stride+i] = rapid.SampledFrom([]float64{-1, 0, math.NaN()}).Draw(t, "value")
		require.False(t, theirs.Dpotrf(ul, n, a.Clone().Data, a.Stride))
		require.False(t, l.Dpotrf(ul, n, a.Data, a.Stride))
		require.True(t, l.Dpotrf(ul, n, good.Data, good.Stride))
	})
}

// TestDgetrf has the same book's theorem 9.3: |p a - l u| <= gamma(n) |l| |u|; and each multiplier
// is at most 1, or it would not be partial pivoting.
func TestDgetrf(t *testing.T) {
	l := start(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		l := either(t, l)
		m, n := tiletest.Size(t, "m"), tiletest.Size(t, "n")
		a := tiletest.Matrix(t, "a", m, n)
		k := min(m, n)
		f, pivots := a.Clone(), make([]int, k)
		want, wantPivots := a.Clone(), make([]int, k)
		ok := theirs.Dgetrf(m, n, want.Data, want.Stride, wantPivots)
		require.Equal(t, ok, l.Dgetrf(m, n, f.Data, f.Stride, pivots))
		f.EqualGaps(t, a)
		require.Equal(t, wantPivots, pivots)
		if k == 0 {
			return
		}
		lower, upper := tiletest.Random(0, m, k, k), tiletest.Random(0, k, n, n)
		for i := range m {
			for j := range k {
				lower.Data[i*k+j] = 0
				if i > j {
					lower.Data[i*k+j] = f.At(i, j)
				} else if i == j {
					lower.Data[i*k+j] = 1
				}
				require.LessOrEqual(t, math.Abs(lower.At(i, j)), 1.0)
			}
		}
		for i := range k {
			for j := range n {
				upper.Data[i*n+j] = 0
				if j >= i {
					upper.Data[i*n+j] = f.At(i, j)
				}
			}
		}
		product, size := tiletest.Random(0, m, n, n), tiletest.Random(0, m, n, n)
		permuted := a.Clone()
		theirs.Dlaswp(n, permuted.Data, permuted.Stride, 0, k-1, pivots, 1)
		multiply(blas.NoTrans, blas.NoTrans, m, n, k, lower, upper, product)
		multiply(blas.NoTrans, blas.NoTrans, m, n, k, lower.Abs(), upper.Abs(), size)
		within(t, permuted, product, size, 2*tiletest.Gamma(k+2))
	})
}

// TestDgetrfSingular is that a pivot that is zero is told and passed over, as by gonum.
func TestDgetrfSingular(t *testing.T) {
	l := start(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		l := either(t, l)
		n := rapid.IntRange(1, 260).Draw(t, "n")
		a := tiletest.Matrix(t, "a", n, n)
		column := rapid.IntRange(0, n-1).Draw(t, "column")
		for i := range n {
			a.Data[i*a.Stride+column] = 0
		}
		want, pivots, wantPivots := a.Clone(), make([]int, n), make([]int, n)
		require.False(t, theirs.Dgetrf(n, n, want.Data, want.Stride, wantPivots))
		require.False(t, l.Dgetrf(n, n, a.Data, a.Stride, pivots))
		require.Equal(t, wantPivots, pivots)
	})
}

// TestDgetrfWide has matrices that are cut into wider panels; two workers give the bits of one.
func TestDgetrfWide(t *testing.T) {
	one, two := start(t, 1), start(t, 2)
	for _, shape := range [][2]int{{1030, 1100}, {1100, 1030}} {
		m, n := shape[0], shape[1]
		a := tiletest.Random(1, m, n, n)
		f, g, want := a.Clone(), a.Clone(), a.Clone()
		pivots, wantPivots := make([]int, min(m, n)), make([]int, min(m, n))
		require.True(t, theirs.Dgetrf(m, n, want.Data, n, wantPivots))
		require.True(t, one.Dgetrf(m, n, f.Data, n, pivots))
		require.Equal(t, wantPivots, pivots)
		for i, w := range want.Data {
			if d := f.Data[i] - w; !(math.Abs(d) < 1e-8) {
				require.InDelta(t, w, f.Data[i], 1e-8, "%d, %d", i/n, i%n)
			}
		}
		require.True(t, two.Dgetrf(m, n, g.Data, n, pivots))
		tiletest.EqualBits(t, f, g)
	}
}

// TestDgetrfTiny is that pivots whose reciprocal is not finite are divided by.
func TestDgetrfTiny(t *testing.T) {
	graph := start(t, 1)
	for _, l := range []*tilelapack.LAPACK{graph, tilelapack.NewAlone(graph.System())} {
		a := []float64{0x1p-1060, 0, 0x1p-1059, 1, 0x1p-1061, 2}
		pivots := make([]int, 2)
		require.True(t, l.Dgetrf(3, 2, a, 2, pivots))
		require.Equal(t, []int{1, 2}, pivots)
		require.Equal(t, []float64{0x1p-1059, 1, 0.25, 1.75, 0.5, -0.5 / 1.75}, a)
	}
}

// TestDgeqrf has the norm bound of the same book's theorem 19.4, with room for the constant: each
// column of a - q r is small beside that of a; and so is qᵀ q - 1.
func TestDgeqrf(t *testing.T) {
	l := start(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		m, n := tiletest.Size(t, "m"), tiletest.Size(t, "n")
		a := tiletest.Matrix(t, "a", m, n)
		k := min(m, n)
		f, tau := a.Clone(), make([]float64, k)
		work := make([]float64, 64*max(m, n, 1))
		l.Dgeqrf(m, n, f.Data, f.Stride, tau, work, len(work))
		f.EqualGaps(t, a)
		if k == 0 {
			return
		}
		product := tiletest.Random(0, m, n, n) // q r
		for i := range m {
			for j := range n {
				product.Data[i*n+j] = 0
				if j >= i {
					product.Data[i*n+j] = f.At(i, j)
				}
			}
		}
		theirs.Dormqr(blas.Left, blas.NoTrans, m, n, k, f.Data, f.Stride, tau,
			product.Data, product.Stride, work, len(work))
		bound := 10 * tiletest.Gamma(m*k)
		for j := range n {
			var norm, off float64
			for i := range m {
				norm = math.Hypot(norm, a.At(i, j))
				off = math.Hypot(off, a.At(i, j)-product.At(i, j))
			}
			require.LessOrEqual(t, off, bound*norm, "column %d", j)
		}
		// The reflectors are those of gonum, so also each element is near.
		want, wantTau := a.Clone(), make([]float64, k)
		theirs.Dgeqrf(m, n, want.Data, want.Stride, wantTau, work, len(work))
		for i := range k {
			require.InDelta(t, wantTau[i], tau[i], 1e-9)
		}
	})
}
