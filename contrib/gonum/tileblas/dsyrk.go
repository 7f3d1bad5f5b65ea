package tileblas

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
)

// Dsyrk computes a triangle of c = alpha a aᵀ + beta c, or of alpha aᵀ a + beta c. See
// [gonum.Implementation.Dsyrk].
func (b *BLAS) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64,
	lda int, beta float64, c []float64, ldc int) {
	trans, upper := tA != blas.NoTrans, ul == blas.Upper
	rows, cols := n, k
	if trans {
		rows, cols = k, n
	}
	if !upper && ul != blas.Lower || !isTranspose(tA) || n <= 0 || k <= 0 || alpha == 0 ||
		n*n*k < b.min.syrk || !isMatrix(rows, cols, a, lda) || !isMatrix(n, n, c, ldc) {
		b.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	nb := side(n, n)
	p := pieces(n, nb)
	b.each(n*n*k >= b.shared.syrk, p*(p+1)/2, nb*nb*k, func(s *tile.Space, t int) {
		i, j := triangle(t)
		if upper {
			i, j = j, i
		}
		i, j = i*nb, j*nb
		ib, jb := min(nb, n-i), min(nb, n-j)
		if i == j {
			s.Syrk(upper, trans, ib, k, alpha, a[offset(trans, i, lda):], lda,
				beta, c[i*ldc+i:], ldc)
			return
		}
		s.Gemm(trans, !trans, ib, jb, k, alpha, a[offset(trans, i, lda):], lda,
			a[offset(trans, j, lda):], lda, beta, c[i*ldc+j:], ldc)
	})
}

// triangle returns the place of the t-th tile of a lower triangle, counted row by row.
func triangle(t int) (i, j int) {
	i = int((math.Sqrt(float64(8*t+1)) - 1) / 2)
	return i, t - i*(i+1)/2
}
