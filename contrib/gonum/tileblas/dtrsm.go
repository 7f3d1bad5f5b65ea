package tileblas

import (
	"gonum.org/v1/gonum/blas"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
)

// Dtrsm solves op(a) x = alpha b, or x op(a) = alpha b, for the m x n matrix x, which replaces b.
// See [gonum.Implementation.Dtrsm].
//
// The columns of x on the left, and the rows of x on the right, do not depend on each other: each
// piece of the work is some of them.
func (b *BLAS) Dtrsm(sd blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int,
	alpha float64, a []float64, lda int, bb []float64, ldb int) {
	left, upper := sd == blas.Left, ul == blas.Upper
	trans, unit := tA != blas.NoTrans, d == blas.Unit
	order, count := n, m
	if left {
		order, count = m, n
	}
	if !left && sd != blas.Right || !upper && ul != blas.Lower || !isTranspose(tA) ||
		!unit && d != blas.NonUnit || m <= 0 || n <= 0 || alpha == 0 ||
		order*order*count < b.min.trsm ||
		!isMatrix(order, order, a, lda) || !isMatrix(m, n, bb, ldb) {
		b.Implementation.Dtrsm(sd, ul, tA, d, m, n, alpha, a, lda, bb, ldb)
		return
	}
	shared, width := order*order*count >= b.shared.trsm, tile.Block
	if shared {
		width = strip(count)
	}
	b.each(shared, pieces(count, width), order*order*width, func(s *tile.Space, t int) {
		i := t * width
		mb, nb, part := m, n, bb[offset(left, i, ldb):]
		if left {
			nb = min(width, n-i)
		} else {
			mb = min(width, m-i)
		}
		if alpha != 1 {
			for r := range mb {
				b.Dscal(nb, alpha, part[r*ldb:], 1)
			}
		}
		s.Trsm(left, upper, trans, unit, mb, nb, a, lda, part, ldb)
	})
}

const minStrip = tile.Block / 4

// strip returns how many of count columns or rows are a piece: less than a block where there would
// not be four pieces otherwise.
func strip(count int) int {
	width := tile.Block
	for width > minStrip && count < 4*width {
		width /= 2
	}
	return width
}
