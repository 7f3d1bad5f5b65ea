package tile

// Syrk is Dsyrk on this goroutine, for k > 0: the triangle of c = alpha a aᵀ + beta c, or of
// alpha aᵀ a + beta c. With beta = 0 the triangle is not read.
func (s *Space) Syrk(upper, trans bool, n, k int, alpha float64, a []float64, lda int,
	beta float64, c []float64, ldc int) {
	at := func(i int) []float64 { // what makes row i of the result
		if trans {
			return a[i:]
		}
		return a[i*lda:]
	}
	for i := 0; i < n; i += Block {
		ib := min(Block, n-i)
		if upper && i+ib < n {
			s.Gemm(trans, !trans, ib, n-i-ib, k, alpha, at(i), lda, at(i+ib), lda,
				beta, c[i*ldc+i+ib:], ldc)
		} else if !upper && i > 0 {
			s.Gemm(trans, !trans, ib, i, k, alpha, at(i), lda, at(0), lda, beta, c[i*ldc:], ldc)
		}
		for l := 0; l < k; l += Block {
			lb := min(Block, k-l)
			scale := 1.0
			if l == 0 {
				scale = beta
			}
			left, ldl := s.a[:], lb
			if trans {
				Copy(s.b[:], ib, a[l*lda+i:], lda, lb, ib)
				transposeBlock(left, ldl, a[l*lda+i:], lda, ib, lb)
			} else {
				left, ldl = a[i*lda+l:], lda
				transposeBlock(s.b[:], ib, a[i*lda+l:], lda, lb, ib)
			}
			for r := range ib {
				first, count := 0, r+1
				if upper {
					first, count = r, ib-r
				}
				addRows(trans, 1, count, lb, alpha, left[r*ldl:], ldl, s.b[first:], ib, scale,
					c[(i+r)*ldc+i+first:], ldc)
			}
		}
	}
}
