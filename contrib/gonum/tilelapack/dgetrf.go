package tilelapack

import (
	"errors"
	"slices"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
	"github.com/heddle-go/heddle/taskgraph"
)

// luAlone is how many elements a matrix may have that is factored here as one panel: so many lie in
// a second-level cache.
const luAlone = 384 * 384

// Dgetrf factors the m x n matrix a into p l u, with partial pivoting, and returns false if a
// pivot is zero. See [gonum.Implementation.Dgetrf].
func (l *LAPACK) Dgetrf(m, n int, a []float64, lda int, ipiv []int) (ok bool) {
	k := min(m, n)
	alone := k < l.shared.getrf
	if m <= 0 || n <= 0 || k < l.min.getrf || alone && (m < n || m*n > luAlone) ||
		!isMatrix(m, n, a, lda) || len(ipiv) != k {
		return l.Implementation.Dgetrf(m, n, a, lda, ipiv)
	}
	if alone {
		s := tile.GetSpace()
		defer tile.PutSpace(s)
		return s.LU(m, n, a, lda, ipiv)
	}
	p := l.plans.take(shape{what: luPanel, m: m, n: n}, drawLU)
	p.a, p.lda, p.pivots = a, lda, ipiv
	err := p.run(l.sys)
	ok = !p.failed
	// The exchanges of later panels, in the columns of earlier ones.
	err = errors.Join(err, l.sys.ParallelFor(pieces(min(m, n), p.side)-1, 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			first := (j + 1) * p.side
			tile.ExchangeRows(p.side, a[j*p.side:], lda, first, ipiv[first:])
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
	side, rows := luTiles(min(s.m, s.n))
	panels, across, down := pieces(min(s.m, s.n), side), pieces(s.n, side), pieces(s.m, rows)
	d := newSketch(s, panels*(1+across*(1+down)))
	d.p.side, d.p.rows = side, rows
	d.p.panel = make([]float64, tile.PanelSize(s.m, side))
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
				if last[j*down+i] = solve; (i+1)*rows > behind && behind < s.m {
					last[j*down+i] = d.add(luGemm, i, j, k, urgent, solve)
				}
			}
		}
	}
	return d.plan()
}

// luTiles returns how many columns a panel of a matrix of order n has, and how many rows a task
// updates.
func luTiles(n int) (side, rows int) {
	if n >= 1024 {
		return 2 * tile.Block, 8 * tile.Block
	}
	return tile.Block, 4 * tile.Block
}

// bounds returns the first row and column of panel k, and those that come after it.
func (p *plan) bounds(k int) (first, behind int) {
	return k * p.side, min((k+1)*p.side, p.m, p.n)
}

// columns returns the columns of tile j that are behind panel k: all of them, unless the panel is
// the last one and has fewer columns than a tile.
func (p *plan) columns(j, k int) (lo, hi int) {
	_, behind := p.bounds(k)
	lo, hi = max(j*p.side, behind), min((j+1)*p.side, p.n)
	return lo, max(lo, hi)
}

func (p *plan) luPanel(s *tile.Space, k int) {
	first, behind := p.bounds(k)
	m, n := p.m-first, behind-first
	at := p.a[first*p.lda+first:]
	pivots := p.pivots[first:behind]
	if !s.LUPanel(m, n, at, p.lda, pivots, p.panel) {
		p.failed = true
	}
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
	top, bottom := max(i*p.rows, behind), min((i+1)*p.rows, p.m)
	s.Gemm(false, false, bottom-top, hi-lo, behind-first, -1, p.a[top*p.lda+first:], p.lda,
		p.a[first*p.lda+lo:], p.lda, 1, p.a[top*p.lda+lo:], p.lda)
}
