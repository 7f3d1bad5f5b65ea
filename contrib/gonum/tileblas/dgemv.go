package tileblas

import (
	"gonum.org/v1/gonum/blas"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
)

const (
	gemvPiece = 64 * 1024 // about how many elements a piece has
	gemvAlign = 8         // kernels take so many rows or columns at a time, or a divisor of that

	// Pieces of a transposed matrix are columns, and rows of a piece lie apart: it pays to have
	// wide pieces, however few.
	gemvCols, gemvPieces = 512, 4
)

// Dgemv computes y = alpha a x + beta y, or alpha aᵀ x + beta y. See
// [gonum.Implementation.Dgemv].
func (b *BLAS) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int,
	x []float64, incX int, beta float64, y []float64, incY int) {
	trans := tA != blas.NoTrans
	lenX, lenY, least := n, m, b.shared.gemv
	if trans {
		lenX, lenY, least = m, n, b.shared.gemvT
	}
	if !isTranspose(tA) || m <= 0 || n <= 0 || alpha == 0 || m*n < least ||
		!isMatrix(m, n, a, lda) || !isVector(lenX, x, incX) || !isVector(lenY, y, incY) {
		b.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	size := max(gemvPiece/lenX/gemvAlign, 1) * gemvAlign
	if trans {
		size = max(gemvCols, pieces(lenY, gemvPieces*gemvAlign)*gemvAlign)
	}
	b.each(true, pieces(lenY, size), size*lenX, func(_ *tile.Space, t int) {
		i := t * size
		count := min(size, lenY-i)
		first := i * incY // where the piece of y begins in memory
		if incY < 0 {
			first = (i + count - lenY) * incY
		}
		mb, nb := count, n
		if trans {
			mb, nb = m, count
		}
		b.Implementation.Dgemv(tA, mb, nb, alpha, a[offset(trans, i, lda):], lda, x, incX,
			beta, y[first:], incY)
	})
}

// isVector reports whether x has n elements at the given distance.
func isVector(n int, x []float64, inc int) bool {
	if inc < 0 {
		inc = -inc
	}
	return inc != 0 && len(x) > (n-1)*inc
}
