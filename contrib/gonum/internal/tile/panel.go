package tile

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// narrow is how many columns of a panel are factored without blocks.
const narrow = 8

// LUPanel factors n columns of m rows with partial pivoting, n <= Block, n <= m. Row i was
// exchanged with row pivots[i]. It returns false if a pivot is zero. The columns are halved again
// and again, so that most of the work is products: Toledo, "Locality of Reference in LU
// Decomposition with Partial Pivoting", SIAM J. Matrix Anal. Appl. 18(4), 1997.
func (s *Space) LUPanel(m, n int, a []float64, lda int, pivots []int) bool {
	if n <= narrow {
		return factor.Dgetf2(m, n, a, lda, pivots)
	}
	half := (n/2 + narrow - 1) / narrow * narrow
	rest := n - half
	ok := s.LUPanel(m, half, a, lda, pivots[:half])
	right, below := a[half:], a[half*lda:]
	ExchangeRows(rest, right, lda, 0, pivots[:half])
	s.Trsm(true, false, false, true, half, rest, a, lda, right, lda)
	s.Gemm(false, false, m-half, rest, half, -1, below, lda, right, lda, 1, below[half:], lda)
	ok = s.LUPanel(m-half, rest, below[half:], lda, pivots[half:]) && ok
	ExchangeRows(half, below, lda, 0, pivots[half:])
	for i := range pivots[half:] {
		pivots[half+i] += half
	}
	return ok
}

// ExchangeRows exchanges row first + i of n columns with row pivots[i], in the order of i.
func ExchangeRows(n int, a []float64, lda, first int, pivots []int) {
	for i, p := range pivots {
		if i += first; p != i {
			kernel.Dswap(n, a[i*lda:], 1, a[p*lda:], 1)
		}
	}
}

// QRPanel factors n columns of m rows, n <= Block, n <= m, and leaves what [Space.Reflect] needs:
// in t the triangular factor of the block reflector, in top its first n rows with the zeros and
// ones that a does not hold; both have rows of n elements. It leaves the factors of the single
// reflectors in tau.
func (s *Space) QRPanel(m, n int, a []float64, lda int, tau, t, top []float64) {
	factor.Dgeqr2(m, n, a, lda, tau, s.w[:n])
	factor.Dlarft(lapack.Forward, lapack.ColumnWise, m, n, a, lda, tau, t, n)
	for i := range n {
		row := top[i*n : i*n+n]
		copy(row[:i], a[i*lda:])
		row[i] = 1
		clear(row[i+1:])
	}
}

// Reflect applies the transpose of the block reflector of a panel of k columns to m rows of n
// columns, n <= Block: c -= v tᵀ vᵀ c, where the first k rows of v are top and the others are in
// below.
func (s *Space) Reflect(m, n, k int, top, below []float64, ldv int, t, c []float64, ldc int) {
	w := s.w[:k*n]
	s.Gemm(true, false, k, n, k, 1, top, k, c, ldc, 0, w, n)
	if m > k {
		s.Gemm(true, false, k, n, m-k, 1, below, ldv, c[k*ldc:], ldc, 1, w, n)
	}
	kernel.Dtrmm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, k, n, 1, t, k, w, n)
	s.Gemm(false, false, k, n, k, -1, top, k, w, n, 1, c, ldc)
	if m > k {
		s.Gemm(false, false, m-k, n, k, -1, below, ldv, w, n, 1, c[k*ldc:], ldc)
	}
}
