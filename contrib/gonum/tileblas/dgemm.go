package tileblas

import (
	"gonum.org/v1/gonum/blas"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
)

// areCut reports whether gonum cuts products of so many rows and columns into blocks. Where it does
// not, its dot products are longer than a block, so the product is left to it.
func areCut(m, n int) bool { return pieces(m, tile.Block)*pieces(n, tile.Block) >= 4 }

// Dgemm computes c = alpha op(a) op(b) + beta c. See [gonum.Implementation.Dgemm].
func (b *BLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	bb []float64, ldb int, beta float64, c []float64, ldc int) {
	transA, transB := tA != blas.NoTrans, tB != blas.NoTrans
	rowsA, colsA := m, k
	if transA {
		rowsA, colsA = k, m
	}
	rowsB, colsB := k, n
	if transB {
		rowsB, colsB = n, k
	}
	if !isTranspose(tA) || !isTranspose(tB) || m <= 0 || n <= 0 || k <= 0 || alpha == 0 ||
		m*n*k < b.min.gemm || !transA && transB && !areCut(m, n) ||
		!isMatrix(rowsA, colsA, a, lda) || !isMatrix(rowsB, colsB, bb, ldb) ||
		!isMatrix(m, n, c, ldc) {
		b.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, bb, ldb, beta, c, ldc)
		return
	}
	mb, nb := side(m, n), side(n, m)
	across := pieces(n, nb)
	b.each(m*n*k >= b.shared.gemm, pieces(m, mb)*across, mb*nb*k, func(s *tile.Space, t int) {
		i, j := t/across*mb, t%across*nb
		left, right := a[offset(transA, i, lda):], bb[offset(!transB, j, ldb):]
		s.GemmBits(transA, transB, min(mb, m-i), min(nb, n-j), k, alpha, left, lda, right, ldb,
			beta, c[i*ldc+j:], ldc)
	})
}

// offset returns where row i of op(a) begins, if a is a row-major matrix; with trans it is a column
// of a.
func offset(trans bool, i, lda int) int {
	if trans {
		return i
	}
	return i * lda
}

// side returns the side of the tiles of a matrix along a dimension of n, where the other one is
// that of across. Tiles are small where there would not be sixteen otherwise.
func side(n, across int) int {
	switch {
	case pieces(n, 2*tile.Block)*pieces(across, 2*tile.Block) >= 16:
		return 2 * tile.Block
	default:
		return tile.Block
	}
}
