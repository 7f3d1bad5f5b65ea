package tilelapack

import (
	"errors"
	"slices"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
	"github.com/heddle-go/heddle/taskgraph"
)

// luRows is how many rows a task updates.
const luRows = 4 * tile.Block

// Dgetrf factors the m x n matrix a into p l u, with partial pivoting, and returns false if a
// pivot is zero. See [gonum.Implementation.Dgetrf].
func (l *LAPACK) Dgetrf(m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	if m <= 0 || n <= 0 || min(m, n) < l.min.getrf || !isMatrix(m, n, a, lda) ||
		len(ipiv) != min(m, n) {
		return l.Implementation.Dgetrf(m, n, a, lda, ipiv)
	}
	p := l.plans.take(shape{what: luPanel, m: m, n: n}, drawLU)
	p.a, p.lda, p.pivots = a, lda, ipiv
	err := p.run(l.sys)
	ok = !p.failed
	// The exchanges of later panels, in the columns of earlier ones.
	err = errors.Join(err, l.sys.ParallelFor(pieces(min(m, n), tile.Block)-1, 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			first := (j + 1) * tile.Block
			tile.ExchangeRows(tile.Block, a[j*tile.Block:], lda, first, ipiv[first:])
		}
	}))
	if err != nil {
		panic(err) // no task fails
	}
	l.plans.put(p)
	return ok
}

// drawLU draws the graph of an LU factor with partial pivoting: the columns of a panel are factored
// by one task, since each pivot is looked for in all rows, and the columns behind it are updated
// each by tasks of its own.
func drawLU(s shape) *plan {
	panels, across, down := pieces(min(s.m, s.n), tile.Block), pieces(s.n, tile.Block),
		pieces(s.m, luRows)
	d := newSketch(s, panels*(1+across*(1+down)))
	d.p.panel = make([]float64, s.m*tile.Block)
	last := make([]taskgraph.GraphTask, across*down) // who has written rows i of columns j
	for k := range panels {
		f := d.add(luPanel, 0, 0, k, true, last[k*down:(k+1)*down]...)
		_, behind := d.p.bounds(k)
		for j := k; j < across; j++ {
			if lo, hi := d.p.columns(j, k); lo == hi {
				continue
			}
			urgent := j == k+1
			after := append(slices.Clone(last[j*down:(j+1)*down]), f)
			solve := d.add(luSolve, 0, j, k, urgent, after...)
			for i := range down {
				if last[j*down+i] = solve; (i+1)*luRows > behind && behind < s.m {
					last[j*down+i] = d.add(luGemm, i, j, k, urgent, solve)
				}
			}
		}
	}
	return d.plan()
}

// bounds returns the first row and column of panel k, and those that come after it.
func (p *plan) bounds(k int) (first, behind int) {
	return k * tile.Block, min((k+1)*tile.Block, p.m, p.n)
}

// columns returns the columns of tile j that are behind panel k: all of them, unless the panel is
// the last one and has fewer columns than a tile.
func (p *plan) columns(j, k int) (lo, hi int) {
	_, behind := p.bounds(k)
	lo, hi = max(j*tile.Block, behind), min((j+1)*tile.Block, p.n)
	return lo, max(lo, hi)
}

// luPanel factors a copy: rows that are a power of two apart would not fit into the cache.
func (p *plan) luPanel(s *tile.Space, k int) {
	first, behind := p.bounds(k)
	m, n := p.m-first, behind-first
	at := p.a[first*p.lda+first:]
	tile.Copy(p.panel, n, at, p.lda, m, n)
	pivots := p.pivots[first:behind]
	if !s.LUPanel(m, n, p.panel, n, pivots) {
		p.failed = true
	}
	tile.Copy(at, p.lda, p.panel, n, m, n)
	for i := range pivots {
		pivots[i] += first
	}
}

func (p *plan) luSolve(s *tile.Space, j, k int) {
	first, behind := p.bounds(k)
	lo, hi := p.columns(j, k)
	tile.ExchangeRows(hi-lo, p.a[lo:], p.lda, first, p.pivots[first:behind])
	s.Trsm(true, false, false, true, behind-first, hi-lo, p.a[first*p.lda+first:], p.lda,
		p.a[first*p.lda+lo:], p.lda)
}

func (p *plan) luGemm(s *tile.Space, i, j, k int) {
	first, behind := p.bounds(k)
	lo, hi := p.columns(j, k)
	top, bottom := max(i*luRows, behind), min((i+1)*luRows, p.m)
	s.Gemm(false, false, bottom-top, hi-lo, behind-first, -1, p.a[top*p.lda+first:], p.lda,
		p.a[first*p.lda+lo:], p.lda, 1, p.a[top*p.lda+lo:], p.lda)
}
