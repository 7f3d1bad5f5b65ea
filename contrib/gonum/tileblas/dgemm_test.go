package tileblas_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile/tiletest"
)

// TestDgemmBits compares each bit with gonum's, NaN and Inf and zeros among the operands.
func TestDgemmBits(t *testing.T) {
	ours := start(t, 2)
	var theirs gonum.Implementation
	rapid.Check(t, func(t *rapid.T) {
		ours := either(t, ours)
		tA, tB := tiletest.Transpose(t, "tA"), tiletest.Transpose(t, "tB")
		m, n, k := tiletest.Size(t, "m"), tiletest.Size(t, "n"), tiletest.Size(t, "k")
		rowsA, colsA := tiletest.Shape(tA, m, k)
		rowsB, colsB := tiletest.Shape(tB, k, n)
		a, b := tiletest.Matrix(t, "a", rowsA, colsA), tiletest.Matrix(t, "b", rowsB, colsB)
		c := tiletest.Matrix(t, "c", m, n)
		for _, x := range []tiletest.Dense{a, b, c} {
			x.Poison(t)
		}
		alpha, beta := tiletest.Scalar(t, "alpha"), tiletest.Scalar(t, "beta")
		want := c.Clone()
		theirs.Dgemm(tA, tB, m, n, k, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, want.Data,
			want.Stride)
		ours.Dgemm(tA, tB, m, n, k, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, c.Data,
			c.Stride)
		tiletest.EqualBits(t, want, c)
	})
}

func TestDgemvBits(t *testing.T) {
	ours := start(t, 2)
	var theirs gonum.Implementation
	rapid.Check(t, func(t *rapid.T) {
		ours := either(t, ours)
		tA := tiletest.Transpose(t, "tA")
		m, n := tiletest.Size(t, "m")*3, tiletest.Size(t, "n")*3
		a := tiletest.Matrix(t, "a", m, n)
		a.Poison(t)
		lenX, lenY := n, m
		if tA != blas.NoTrans {
			lenX, lenY = m, n
		}
		incX, incY := tiletest.Increment(t, "incX"), tiletest.Increment(t, "incY")
		x := tiletest.Matrix(t, "x", lenX, max(incX, -incX))
		y := tiletest.Matrix(t, "y", lenY, max(incY, -incY))
		y.Poison(t)
		alpha, beta := tiletest.Scalar(t, "alpha"), tiletest.Scalar(t, "beta")
		x.Stride, y.Stride = max(incX, -incX), max(incY, -incY) // vectors have no gaps of their own
		want := y.Clone()
		theirs.Dgemv(tA, m, n, alpha, a.Data, a.Stride, x.Data, incX, beta, want.Data, incY)
		ours.Dgemv(tA, m, n, alpha, a.Data, a.Stride, x.Data, incX, beta, y.Data, incY)
		tiletest.EqualBits(t, want, y)
	})
}

func TestDsyrk(t *testing.T) {
	ours := start(t, 2)
	var theirs gonum.Implementation
	rapid.Check(t, func(t *rapid.T) {
		ours := either(t, ours)
		ul, tA := tiletest.Uplo(t, "ul"), tiletest.Transpose(t, "tA")
		n, k := tiletest.Size(t, "n"), tiletest.Size(t, "k")
		rows, cols := tiletest.Shape(tA, n, k)
		a, c := tiletest.Matrix(t, "a", rows, cols), tiletest.Matrix(t, "c", n, n)
		alpha, beta := tiletest.Scalar(t, "alpha"), tiletest.Scalar(t, "beta")
		// The bound needs the same sums of absolute values.
		size := c.Abs()
		theirs.Dsyrk(ul, tA, n, k, abs(alpha), a.Abs().Data, a.Stride, abs(beta), size.Data,
			c.Stride)
		want := c.Clone()
		theirs.Dsyrk(ul, tA, n, k, alpha, a.Data, a.Stride, beta, want.Data, c.Stride)
		got := c.Clone()
		ours.Dsyrk(ul, tA, n, k, alpha, a.Data, a.Stride, beta, got.Data, c.Stride)
		bound := 2 * tiletest.Gamma(k+3)
		for i := range n {
			for j := range n {
				if i != j && (j > i) != (ul == blas.Upper) {
					require.Equal(t, c.At(i, j), got.At(i, j), "outside the triangle: %d, %d", i, j)
					continue
				}
				require.InDelta(t, want.At(i, j), got.At(i, j), bound*size.At(i, j), "%d, %d", i, j)
			}
		}
		got.EqualGaps(t, c)
	})
}

// TestDsyrkUnread is that with beta = 0 nothing of c is read, whatever the case.
func TestDsyrkUnread(t *testing.T) {
	ours := start(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		ours := either(t, ours)
		ul, tA := tiletest.Uplo(t, "ul"), tiletest.Transpose(t, "tA")
		n, k := 150, 70
		rows, cols := tiletest.Shape(tA, n, k)
		a, c := tiletest.Matrix(t, "a", rows, cols), tiletest.Matrix(t, "c", n, n)
		clean := c.Clone()
		c.Poison(t)
		ours.Dsyrk(ul, tA, n, k, 2, a.Data, a.Stride, 0, c.Data, c.Stride)
		ours.Dsyrk(ul, tA, n, k, 2, a.Data, a.Stride, 0, clean.Data, c.Stride)
		for i := range n {
			for j := range n {
				if i == j || (j > i) == (ul == blas.Upper) {
					require.Equal(t, clean.At(i, j), c.At(i, j))
				}
			}
		}
	})
}

// TestDtrsm has the bound of Higham, Accuracy and Stability of Numerical Algorithms, 2002, 8.2,
// for each element of the residual.
func TestDtrsm(t *testing.T) {
	ours := start(t, 2)
	var theirs gonum.Implementation
	rapid.Check(t, func(t *rapid.T) {
		ours := either(t, ours)
		ul, tA, d := tiletest.Uplo(t, "ul"), tiletest.Transpose(t, "tA"), blas.NonUnit
		side := rapid.SampledFrom([]blas.Side{blas.Left, blas.Right}).Draw(t, "side")
		if rapid.Bool().Draw(t, "unit") {
			d = blas.Unit
		}
		m, n := tiletest.Size(t, "m"), tiletest.Size(t, "n")
		order := n
		if side == blas.Left {
			order = m
		}
		a, b := tiletest.Matrix(t, "a", order, order), tiletest.Matrix(t, "b", m, n)
		a.Dominant()
		alpha := tiletest.Scalar(t, "alpha")
		x := b.Clone()
		ours.Dtrsm(side, ul, tA, d, m, n, alpha, a.Data, a.Stride, x.Data, x.Stride)
		x.EqualGaps(t, b)
		again, size := x.Clone(), x.Abs() // op(a) x, and the same of absolute values
		theirs.Dtrmm(side, ul, tA, d, m, n, 1, a.Data, a.Stride, again.Data, again.Stride)
		theirs.Dtrmm(side, ul, tA, d, m, n, 1, a.Abs().Data, a.Stride, size.Data, size.Stride)
		bound := 2 * tiletest.Gamma(order+4)
		for i := range m {
			for j := range n {
				require.InDelta(t, alpha*b.At(i, j), again.At(i, j), bound*size.At(i, j),
					"%d, %d", i, j)
			}
		}
	})
}

// TestDtrsmSpecial is that NaN, Inf and zeros go the same way as in gonum's, also where the
// triangle has them.
func TestDtrsmSpecial(t *testing.T) {
	ours := start(t, 2)
	var theirs gonum.Implementation
	rapid.Check(t, func(t *rapid.T) {
		ours := either(t, ours)
		ul, tA, d := tiletest.Uplo(t, "ul"), tiletest.Transpose(t, "tA"), blas.NonUnit
		side := rapid.SampledFrom([]blas.Side{blas.Left, blas.Right}).Draw(t, "side")
		m, n := tiletest.Size(t, "m"), tiletest.Size(t, "n")
		order := n
		if side == blas.Left {
			order = m
		}
		a, b := tiletest.Matrix(t, "a", order, order), tiletest.Matrix(t, "b", m, n)
		a.Dominant()
		if rapid.Bool().Draw(t, "strange triangle") {
			a.Poison(t)
		}
		b.Poison(t)
		alpha := tiletest.Scalar(t, "alpha")
		want := b.Clone()
		theirs.Dtrsm(side, ul, tA, d, m, n, alpha, a.Data, a.Stride, want.Data, want.Stride)
		ours.Dtrsm(side, ul, tA, d, m, n, alpha, a.Data, a.Stride, b.Data, b.Stride)
		for i := range m {
			for j := range n {
				require.Equal(t, tiletest.Kind(want.At(i, j)), tiletest.Kind(b.At(i, j)),
					"%d, %d: %v and %v", i, j, want.At(i, j), b.At(i, j))
			}
		}
	})
}

// TestDtrsmZeros is that zeros of b stay zeros where gonum's do, though the triangle has no inverse
// or is not finite.
func TestDtrsmZeros(t *testing.T) {
	ours := start(t, 2)
	var theirs gonum.Implementation
	const m, n = 20, 70
	for _, strange := range []float64{0, 5e-324, math.Inf(1)} {
		for _, at := range []int{3*n + 3, 3*n + 5, 5*n + 3} {
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				a, b := tiletest.Random(1, n, n, n), tiletest.Random(2, m, n, n)
				a.Dominant()
				a.Data[at] = strange
				clear(b.Data[:m/2*n])
				want := b.Clone()
				theirs.Dtrsm(blas.Right, ul, blas.NoTrans, blas.NonUnit, m, n, 1, a.Data, n,
					want.Data, n)
				ours.Dtrsm(blas.Right, ul, blas.NoTrans, blas.NonUnit, m, n, 1, a.Data, n,
					b.Data, n)
				for i, w := range want.Data {
					require.Equal(t, tiletest.Kind(w), tiletest.Kind(b.Data[i]),
						"%c, %v in %d: %d", ul, strange, at, i)
				}
			}
		}
	}
}
