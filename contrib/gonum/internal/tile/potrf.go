package tile

// Potrf is Dpotrf on this goroutine: the factor of a symmetric positive definite matrix, of which
// one triangle is read and written. It returns false where a is not positive definite.
func (s *Space) Potrf(upper bool, n int, a []float64, lda int) bool {
	for j := 0; j < n; j += Block {
		jb := min(Block, n-j)
		at := a[j*lda+j:]
		if upper {
			if j > 0 {
				s.Syrk(true, true, jb, j, -1, a[j:], lda, 1, at, lda)
			}
		} else if j > 0 {
			s.Syrk(false, false, jb, j, -1, a[j*lda:], lda, 1, at, lda)
		}
		Copy(s.d[:], jb, at, lda, jb, jb)
		ok := factor.Dpotf2(uplo(upper), jb, s.d[:], jb)
		copyTriangle(upper, at, lda, s.d[:], jb, jb)
		if !ok {
			return false
		}
		rest := n - j - jb
		if rest == 0 {
			break
		}
		if upper {
			if j > 0 {
				s.Gemm(true, false, jb, rest, j, -1, a[j:], lda, a[j+jb:], lda, 1, at[jb:], lda)
			}
			s.Trsm(true, true, true, false, jb, rest, at, lda, at[jb:], lda)
			continue
		}
		below := a[(j+jb)*lda:]
		if j > 0 {
			s.Gemm(false, true, rest, jb, j, -1, below, lda, a[j*lda:], lda, 1, below[j:], lda)
		}
		s.Trsm(false, false, true, false, rest, jb, at, lda, below[j:], lda)
	}
	return true
}

func copyTriangle(upper bool, dst []float64, ldd int, src []float64, lds, n int) {
	for i := range n {
		if upper {
			copy(dst[i*ldd+i:i*ldd+n], src[i*lds+i:i*lds+n])
		} else {
			copy(dst[i*ldd:i*ldd+i+1], src[i*lds:i*lds+i+1])
		}
	}
}
