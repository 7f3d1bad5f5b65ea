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
		for l := 0; l < k; {
			run := k - l
			if skip {
				run = untilZero(alpha, row[l:])
			}
			if run > 0 {
				kernel.Dgemv(blas.Trans, run, n, alpha, b[l*ldb:], ldb, row[l:], 1, 1, to, 1)
			}
			l += run + 1
		}
	}
}

// untilZero returns how many of the first elements have a product with alpha that is not zero.
func untilZero(alpha float64, x []float64) int {
	for i, v := range x {
		if alpha*v == 0 {
			return i
		}
	}
	return len(x)
}
