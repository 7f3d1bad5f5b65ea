package tile

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// Trsm is Dtrsm with alpha = 1 on this goroutine: it solves op(a) x = b, or x op(a) = b if not
// left, for the m x n matrix x, which replaces b. The triangle is halved again and again, so that
// most of the work is large products.
func (s *Space) Trsm(left, upper, trans, unit bool, m, n int, a []float64, lda int, b []float64,
	ldb int) {
	order := n
	if left {
		order = m
	}
	if order <= Block {
		s.trsmBlock(left, upper, trans, unit, m, n, a, lda, b, ldb)
		return
	}
	half := pieces(order, 2*Block) * Block
	rest := order - half
	// The half of x that is known first, and the rectangle of a between the halves.
	ascending := (upper == trans) == left
	off, far := a[half*lda:], a[half*lda+half:]
	if upper {
		off = a[half:]
	}
	if left {
		low := b[half*ldb:]
		if ascending {
			s.Trsm(left, upper, trans, unit, half, n, a, lda, b, ldb)
			s.Gemm(trans, false, rest, n, half, -1, off, lda, b, ldb, 1, low, ldb)
			s.Trsm(left, upper, trans, unit, rest, n, far, lda, low, ldb)
			return
		}
		s.Trsm(left, upper, trans, unit, rest, n, far, lda, low, ldb)
		s.Gemm(trans, false, half, n, rest, -1, off, lda, low, ldb, 1, b, ldb)
		s.Trsm(left, upper, trans, unit, half, n, a, lda, b, ldb)
		return
	}
	right := b[half:]
	if ascending {
		s.Trsm(left, upper, trans, unit, m, half, a, lda, b, ldb)
		s.Gemm(false, trans, m, rest, half, -1, b, ldb, off, lda, 1, right, ldb)
		s.Trsm(left, upper, trans, unit, m, rest, far, lda, right, ldb)
		return
	}
	s.Trsm(left, upper, trans, unit, m, rest, far, lda, right, ldb)
	s.Gemm(false, trans, m, half, rest, -1, right, ldb, off, lda, 1, b, ldb)
	s.Trsm(left, upper, trans, unit, m, half, a, lda, b, ldb)
}

// trsmBlock is Trsm for a triangle that is a block.
func (s *Space) trsmBlock(left, upper, trans, unit bool, m, n int, a []float64, lda int,
	b []float64, ldb int) {
	k := n
	if left {
		k = m
	}
	if left == trans {
		transposeBlock(s.d[:], k, a, lda, k, k)
	} else {
		Copy(s.d[:], k, a, lda, k, k)
	}
	lower := (upper == trans) == left // what is in s.d, which x is always to the right of
	switch {
	case left:
		s.solveLeft(lower, unit, k, n, b, ldb)
	case s.isTame(lower, unit, k):
		s.solveRight(lower, unit, m, k, b, ldb)
	default:
		kernel.Dtrsm(blas.Right, uplo(upper), transpose(trans), diag(unit), m, k, 1, a, lda,
			b, ldb)
	}
}

// solveLeft solves for k rows of n columns with the triangle in s.d.
func (s *Space) solveLeft(lower, unit bool, k, n int, b []float64, ldb int) {
	for j := 0; j < n; j += Block {
		jb := min(Block, n-j)
		Copy(s.w[:], jb, b[j:], ldb, k, jb)
		s.solve(lower, unit, true, k, jb)
		Copy(b[j:], ldb, s.w[:], jb, k, jb)
	}
}

// solveRight solves for m rows of k columns with the transpose of the triangle in s.d. They are
// transposed, so that the kernel meets long rows.
func (s *Space) solveRight(lower, unit bool, m, k int, b []float64, ldb int) {
	for i := 0; i < m; i += Block {
		ib := min(Block, m-i)
		transposeBlock(s.w[:], ib, b[i*ldb:], ldb, k, ib)
		s.solve(lower, unit, false, k, ib)
		transposeBlock(b[i*ldb:], ldb, s.w[:], ib, ib, k)
	}
}

// solve solves for the k rows of n columns in s.w with the triangle in s.d.
func (s *Space) solve(lower, unit, skip bool, k, n int) {
	for step := range k {
		i, known := step, 0
		if !lower {
			i, known = k-1-step, k-step
		}
		x := s.w[i*n : i*n+n]
		if step > 0 {
			addRows(skip, 1, n, step, -1, s.d[i*k+known:], k, s.w[known*n:], n, 1, x, n)
		}
		if !unit {
			scale(1/s.d[i*k+i], x)
		}
	}
}

// scale is Dscal, which takes 0 for an order to clear x, NaN or not.
func scale(alpha float64, x []float64) {
	if alpha == 0 {
		for i := range x {
			x[i] *= alpha
		}
		return
	}
	kernel.Dscal(len(x), alpha, x, 1)
}

// isTame reports whether it makes no difference but rounding that gonum divides by the diagonal
// on the right and passes over zeros of b, where solve multiplies.
func (s *Space) isTame(lower, unit bool, k int) bool {
	for i := range k {
		row, d := s.d[i*k:i*k+i], math.Abs(s.d[i*k+i])
		if !lower {
			row = s.d[i*k+i+1 : i*k+k]
		}
		if !unit && !(d > 0x1p-1000 && d < 0x1p1000) {
			return false
		}
		for _, v := range row {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}
