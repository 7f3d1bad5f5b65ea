package tile

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// Trsm is Dtrsm with alpha = 1 on this goroutine: it solves op(a) x = b, or x op(a) = b if not
// left, for the m x n matrix x, which replaces b.
func (s *Space) Trsm(left, upper, trans, unit bool, m, n int, a []float64, lda int, b []float64,
	ldb int) {
	order := n
	if left {
		order = m
	}
	// Which end of x is known first.
	ascending := (upper == trans) == left
	for step := 0; step < order; step += Block {
		kb := min(Block, order-step)
		k, known, size := step, 0, step // the block of x to solve for, and what is known of x
		if !ascending {
			k, known, size = order-step-kb, order-step, step
		}
		if size > 0 {
			// The rectangle of a between the known part of x and the block.
			row, col := known, k
			if left != trans {
				row, col = k, known
			}
			off := a[row*lda+col:]
			if left {
				s.Gemm(trans, false, kb, n, size, -1, off, lda, b[known*ldb:], ldb,
					1, b[k*ldb:], ldb)
			} else {
				s.Gemm(false, trans, m, kb, size, -1, b[known:], ldb, off, lda, 1, b[k:], ldb)
			}
		}
		at := a[k*lda+k:]
		if left == trans {
			transposeBlock(s.d[:], kb, at, lda, kb, kb)
		} else {
			Copy(s.d[:], kb, at, lda, kb, kb)
		}
		if left {
			s.solveLeft(ascending, unit, kb, n, b[k*ldb:], ldb)
		} else if s.isTame(ascending, unit, kb) {
			s.solveRight(ascending, unit, m, kb, b[k:], ldb)
		} else {
			kernel.Dtrsm(blas.Right, uplo(upper), transpose(trans), diag(unit), m, kb, 1, at, lda,
				b[k:], ldb)
		}
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
