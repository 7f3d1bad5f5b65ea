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
		if beta == 0 {
			// gonum multiplies one of the triangles by it, which leaves NaN where NaN was.
			clearTriangle(upper, ib, c[i*ldc+i:], ldc)
		}
		for l := 0; l < k; l += Block {
			lb := min(Block, k-l)
			scale := 1.0
			if l == 0 {
				scale = beta
			}
			ld := lb
			if trans {
				ld = ib
				Copy(s.b[:], ld, a[l*lda+i:], lda, lb, ib)
			} else {
				Copy(s.b[:], ld, a[i*lda+l:], lda, ib, lb)
			}
			kernel.Dsyrk(uplo(upper), transpose(trans), ib, lb, alpha, s.b[:], ld, scale,
				c[i*ldc+i:], ldc)
		}
	}
}

func clearTriangle(upper bool, n int, c []float64, ldc int) {
	for i := range n {
		if upper {
			clear(c[i*ldc+i : i*ldc+n])
		} else {
			clear(c[i*ldc : i*ldc+i+1])
		}
	}
}
