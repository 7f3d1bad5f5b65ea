package tilelapack

import (
	"gonum.org/v1/gonum/blas"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
	"github.com/heddle-go/heddle/taskgraph"
)

// Dpotrf factors the symmetric positive definite matrix a, of which one triangle is read and
// written, into uᵀ u or l lᵀ, and returns whether it is positive definite. See
// [gonum.Implementation.Dpotrf].
func (l *LAPACK) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) (ok bool) {
	if ul != blas.Upper && ul != blas.Lower || n <= 0 || n < l.min.potrf ||
		!isMatrix(n, n, a, lda) {
		return l.Implementation.Dpotrf(ul, n, a, lda)
	}
	if n < l.shared.potrf {
		s := tile.GetSpace()
		defer tile.PutSpace(s)
		return s.Potrf(ul == blas.Upper, n, a, lda)
	}
	p := l.plans.take(shape{what: potrf, upper: ul == blas.Upper, m: n, n: n}, drawCholesky)
	p.a, p.lda = a, lda
	err := p.run(l.sys)
	l.plans.put(p)
	return err == nil
}

// drawCholesky draws the graph of a Cholesky factor by tiles. That of the upper triangle is the
// same with rows and columns exchanged.
func drawCholesky(s shape) *plan {
	side := tile.Block
	if s.n > 1024 {
		side = 2 * tile.Block
	}
	n := pieces(s.n, side)
	d := newSketch(s, n*(n+1)*(n+2)/6)
	d.p.side = side
	last := make([]taskgraph.GraphTask, n*n) // who has written a tile
	for k := range n {
		f := d.add(potrf, k, k, k, true, last[k*n+k])
		for i := k + 1; i < n; i++ {
			last[i*n+k] = d.add(trsm, i, k, k, i == k+1, f, last[i*n+k])
		}
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < i; j++ {
				last[i*n+j] = d.add(gemm, i, j, k, j == k+1,
					last[i*n+k], last[j*n+k], last[i*n+j])
			}
			last[i*n+i] = d.add(syrk, i, i, k, i == k+1, last[i*n+k], last[i*n+i])
		}
	}
	return d.plan()
}

// at returns tile (i, j) of the lower triangle, or its mirror image.
func (p *plan) at(i, j int) []float64 {
	if p.upper {
		i, j = j, i
	}
	return p.a[(i*p.lda+j)*p.side:]
}

func (p *plan) cholesky(s *tile.Space, what kind, i, j, k int) error {
	size := func(i int) int { return min(p.side, p.n-i*p.side) }
	ni, nj, nk := size(i), size(j), size(k)
	switch what {
	case potrf:
		if !s.Potrf(p.upper, ni, p.at(i, i), p.lda) {
			return errNotPositive
		}
	case trsm:
		m, n := ni, nk
		if p.upper {
			m, n = nk, ni
		}
		s.Trsm(p.upper, p.upper, true, false, m, n, p.at(k, k), p.lda, p.at(i, k), p.lda)
	case syrk:
		s.Syrk(p.upper, p.upper, ni, nk, -1, p.at(i, k), p.lda, 1, p.at(i, i), p.lda)
	case gemm:
		if p.upper {
			i, j, ni, nj = j, i, nj, ni
			s.Gemm(true, false, ni, nj, nk, -1, p.at(i, k), p.lda, p.at(j, k), p.lda,
				1, p.at(j, i), p.lda)
			break
		}
		s.Gemm(false, true, ni, nj, nk, -1, p.at(i, k), p.lda, p.at(j, k), p.lda,
			1, p.at(i, j), p.lda)
	}
	return nil
}
