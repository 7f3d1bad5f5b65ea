package tile

// Gemm is Dgemm on this goroutine, for k > 0: c = alpha op(a) op(b) + beta c. Each element is the
// same to the last bit as gonum's where gonum cuts the product into blocks: products are added in
// the same order, and zeros of op(a) are passed over unless only b is transposed.
func (s *Space) Gemm(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64,
	ldb int, beta float64, c []float64, ldc int) {
	dots := tB && !tA // the one case that gonum computes by dot products, of rows of a and b
	for i := 0; i < m; i += rows {
		ib := min(rows, m-i)
		for l := 0; l < k; l += Block {
			lb := min(Block, k-l)
			scale := 1.0
			if l == 0 {
				scale = beta
			}
			var left []float64
			ldl := lda
			if tA {
				left, ldl = s.a[:], lb
				transposeBlock(left, ldl, a[l*lda+i:], lda, ib, lb)
			} else {
				left = a[i*lda+l:]
			}
			for j := 0; j < n; j += Block {
				jb := min(Block, n-j)
				ldr := jb
				switch {
				case dots:
					ldr = lb
					Copy(s.b[:], ldr, b[j*ldb+l:], ldb, jb, lb)
				case tB:
					transposeBlock(s.b[:], ldr, b[j*ldb+l:], ldb, lb, jb)
				default:
					Copy(s.b[:], ldr, b[l*ldb+j:], ldb, lb, jb)
				}
				kernel.Dgemm(transpose(false), transpose(dots), ib, jb, lb, alpha, left, ldl,
					s.b[:], ldr, scale, c[i*ldc+j:], ldc)
			}
		}
	}
}
