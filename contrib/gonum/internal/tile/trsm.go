package tile

import "gonum.org/v1/gonum/blas"

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
		Copy(s.d[:], kb, a[k*lda+k:], lda, kb, kb)
		if !left {
			kernel.Dtrsm(blas.Right, uplo(upper), transpose(trans), diag(unit), m, kb, 1,
				s.d[:], kb, b[k:], ldb)
			continue
		}
		for j := 0; j < n; j += Block {
			jb := min(Block, n-j)
			Copy(s.w[:], jb, b[k*ldb+j:], ldb, kb, jb)
			kernel.Dtrsm(blas.Left, uplo(upper), transpose(trans), diag(unit), kb, jb, 1,
				s.d[:], kb, s.w[:], jb)
			Copy(b[k*ldb+j:], ldb, s.w[:], jb, kb, jb)
		}
	}
}
