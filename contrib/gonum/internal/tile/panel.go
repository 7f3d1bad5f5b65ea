package tile

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// narrow is how many columns of a panel are factored without blocks.
const narrow = 8

// LUPanel factors n columns of m rows with partial pivoting, n <= m. Row i was exchanged with row
// pivots[i]. It returns false if a pivot is zero. The columns are copied to buf, which has
// [PanelSize] elements or more, one after the other: so kernels meet long rows.
func (s *Space) LUPanel(m, n int, a []float64, lda int, pivots []int, buf []float64) bool {
	ld := panelStride(m)
	transposeBlock(buf, ld, a, lda, n, m)
	ok := s.luColumns(m, n, buf, ld, pivots)
	transposeBlock(a, lda, buf, ld, m, n)
	return ok
}

// LU is LUPanel with a buffer that s keeps.
func (s *Space) LU(m, n int, a []float64, lda int, pivots []int) bool {
	if size := PanelSize(m, n); len(s.panel) < size {
		s.panel = make([]float64, size)
	}
	return s.LUPanel(m, n, a, lda, pivots, s.panel)
}

// PanelSize returns how many elements a buffer for n columns of m rows has.
func PanelSize(m, n int) int { return panelStride(m) * n }

// panelStride returns an odd number of lines of the cache that hold m elements: columns that are a
// power of two apart would compete for the same lines.
func panelStride(m int) int { return (m+7)/8*8 | 8 }

// luColumns is LUPanel for columns that follow each other in a. They are halved again and again, so
// that most of the work is products: Toledo, "Locality of Reference in LU Decomposition with
// Partial Pivoting", SIAM J. Matrix Anal. Appl. 18(4), 1997.
func (s *Space) luColumns(m, n int, a []float64, lda int, pivots []int) bool {
	if n <= narrow {
		return luNarrow(m, n, a, lda, pivots)
	}
	half := (n/2 + narrow - 1) / narrow * narrow
	rest := n - half
	ok := s.luColumns(m, half, a, lda, pivots[:half])
	right := a[half*lda:]
	exchangeElements(rest, right, lda, pivots[:half])
	s.Trsm(false, true, false, true, rest, half, a, lda, right, lda)
	for i := half; i < m; i += axpyCols {
		ib := min(axpyCols, m-i)
		for k := 0; k < half; k += axpyDepth {
			kb := min(axpyDepth, half-k)
			addRows(false, rest, ib, kb, -1, right[k:], lda, a[k*lda+i:], lda, 1, right[i:], lda)
		}
	}
	ok = s.luColumns(m-half, rest, right[half:], lda, pivots[half:]) && ok
	exchangeElements(half, a[half:], lda, pivots[half:])
	for i := range pivots[half:] {
		pivots[half+i] += half
	}
	return ok
}

// luNarrow factors column by column: each is updated by those before it when its turn comes.
func luNarrow(m, n int, a []float64, lda int, pivots []int) bool {
	ok := true
	for j := range n {
		column := a[j*lda : j*lda+m]
		exchangeElements(1, column, lda, pivots[:j])
		for k := 1; k < j; k++ {
			for l, v := range column[:k] {
				column[k] -= a[l*lda+k] * v
			}
		}
		if j > 0 {
			kernel.Dgemv(blas.Trans, j, m-j, -1, a[j:], lda, column, 1, 1, column[j:], 1)
		}
		p := j + kernel.Idamax(m-j, column[j:], 1)
		pivots[j] = p
		if column[p] == 0 {
			ok = false
			continue
		}
		if p != j {
			kernel.Dswap(j+1, a[j:], lda, a[p:], lda)
		}
		divide(column[j], column[j+1:])
	}
	return ok
}

// divide divides x by d, by its reciprocal if that is finite, as gonum's Dgetf2 does.
func divide(d float64, x []float64) {
	if math.Abs(d) >= 0x1p-1022 {
		kernel.Dscal(len(x), 1/d, x, 1)
		return
	}
	for i := range x {
		x[i] /= d
	}
}

// exchangeElements exchanges element i of n columns with element pivots[i], in the order of i.
func exchangeElements(n int, a []float64, lda int, pivots []int) {
	for j := range n {
		column := a[j*lda:]
		for i, p := range pivots {
			column[i], column[p] = column[p], column[i]
		}
	}
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
