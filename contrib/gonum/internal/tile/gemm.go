package tile

// A panel of the right factor is so many rows by so many columns. Together they fill the buffer,
// two thirds of a first-level cache of 48 KiB. The last figure of each line is how many rows of the
// left factor meet a panel at once: as many as the buffer for transposed ones has, and as few as
// gonum's Dgemm multiplies without goroutines, three blocks.
const (
	axpyDepth, axpyCols, axpyRows = 32, 128, 64
	dotDepth, dotCols, dotRows    = Block, Block, 3 * Block
)

// Gemm is Dgemm on this goroutine, for k > 0: c = alpha op(a) op(b) + beta c. Zeros of op(a) are
// passed over unless only b is transposed, as in gonum.
func (s *Space) Gemm(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64,
	ldb int, beta float64, c []float64, ldc int) {
	s.axpys(tA, tB, tA || !tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// GemmBits is Gemm with each element the same to the last bit as gonum's where gonum cuts the
// product into blocks. It adds multiples of rows in the same order as gonum; but where only b is
// transposed gonum makes dot products of a block, whose sums are others, and so does this.
func (s *Space) GemmBits(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, c []float64, ldc int) {
	if tB && !tA {
		s.dots(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	} else {
		s.axpys(tA, tB, true, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// axpys adds multiples of rows of op(b) to rows of c; skip is as in addRows.
func (s *Space) axpys(tA, tB, skip bool, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, c []float64, ldc int) {
	for l := 0; l < k; l += axpyDepth {
		lb := min(axpyDepth, k-l)
		scale := 1.0
		if l == 0 {
			scale = beta
		}
		for j := 0; j < n; j += axpyCols {
			jb := min(axpyCols, n-j)
			if tB {
				transposeBlock(s.b[:], jb, b[j*ldb+l:], ldb, lb, jb)
			} else {
				Copy(s.b[:], jb, b[l*ldb+j:], ldb, lb, jb)
			}
			for i := 0; i < m; i += axpyRows {
				ib := min(axpyRows, m-i)
				var left []float64
				ldl := lda
				if tA {
					left, ldl = s.a[:], lb
					transposeBlock(left, ldl, a[l*lda+i:], lda, ib, lb)
				} else {
					left = a[i*lda+l:]
				}
				addRows(skip, ib, jb, lb, alpha, left, ldl, s.b[:], jb, scale, c[i*ldc+j:], ldc)
			}
		}
	}
}

// dots adds dot products of rows of a and b to elements of c.
func (s *Space) dots(m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	for l := 0; l < k; l += dotDepth {
		lb := min(dotDepth, k-l)
		scale := 1.0
		if l == 0 {
			scale = beta
		}
		for j := 0; j < n; j += dotCols {
			jb := min(dotCols, n-j)
			Copy(s.b[:], lb, b[j*ldb+l:], ldb, jb, lb)
			for i := 0; i < m; i += dotRows {
				ib := min(dotRows, m-i)
				kernel.Dgemm(transpose(false), transpose(true), ib, jb, lb, alpha, a[i*lda+l:], lda,
					s.b[:], lb, scale, c[i*ldc+j:], ldc)
			}
		}
	}
}
