package tile

import "gonum.org/v1/gonum/blas"

// addRows is c = alpha a b + beta c for a of m rows and k columns. With skip, zeros of alpha a are
// passed over, so that NaN and Inf of b do not meet them.
//
// The kernel is gonum's Dgemv of a transposed matrix, for one row of c after the other. On amd64 it
// adds multiples of four rows of b to each element before it is stored, where gonum's Dgemm loads
// and stores the element for each row; the sums are made in the same order, so the bits are the
// same.
func addRows(skip bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	for i := range m {
		row, to := a[i*lda:i*lda+k], c[i*ldc:i*ldc+n]
		switch beta {
		case 1:
		case 0:
			clear(to)
		default:
			for j := range to {
				to[j] *= beta
			}
		}
		if !skip || !hasZero(alpha, row) {
			kernel.Dgemv(blas.Trans, k, n, alpha, b, ldb, row, 1, 1, to, 1)
			continue
		}
		for l, v := range row {
			if v *= alpha; v != 0 {
				kernel.Daxpy(n, v, b[l*ldb:], 1, to, 1)
			}
		}
	}
}

// hasZero reports whether a product with alpha is zero.
func hasZero(alpha float64, x []float64) bool {
	for _, v := range x {
		if alpha*v == 0 {
			return true
		}
	}
	return false
}
