package tilelapack

import (
	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
	"github.com/heddle-go/heddle/taskgraph"
)

// Dgeqrf factors the m x n matrix a into q r. See [gonum.Implementation.Dgeqrf]. Of work it uses
// no more than gonum demands, whatever lwork is.
func (l *LAPACK) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	if m <= 0 || n <= 0 || min(m, n) < l.min.geqrf || lwork < n || len(work) < lwork ||
		!isMatrix(m, n, a, lda) || len(tau) != min(m, n) {
		l.Implementation.Dgeqrf(m, n, a, lda, tau, work, lwork)
		return
	}
	p := l.plans.take(shape{what: qrPanel, m: m, n: n}, drawQR)
	p.a, p.lda, p.tau = a, lda, tau
	if err := p.run(l.sys); err != nil {
		panic(err) // no task fails
	}
	l.plans.put(p)
	l.Implementation.Dgeqrf(m, n, a, lda, tau, work, -1) // says in work how much it would have used
}

// drawQR draws the graph of a QR factor: the columns of a panel are factored by one task, and its
// reflectors are applied to the columns behind it, tile by tile of these.
func drawQR(s shape) *plan {
	panels, across := pieces(min(s.m, s.n), tile.Block), pieces(s.n, tile.Block)
	d := newSketch(s, panels*(1+across))
	d.p.side = tile.Block
	d.p.panel = make([]float64, s.m*tile.Block)
	d.p.t = make([]float64, panels*tile.Block*tile.Block)
	d.p.top = make([]float64, panels*tile.Block*tile.Block)
	last := make([]taskgraph.GraphTask, across) // who has written columns j
	for k := range panels {
		f := d.add(qrPanel, 0, 0, k, true, last[k])
		for j := k; j < across; j++ {
			if lo, hi := d.p.columns(j, k); lo < hi {
				last[j] = d.add(qrApply, 0, j, k, j == k+1, f, last[j])
			}
		}
	}
	return d.plan()
}

// reflectors returns the triangular factor of panel k, and its first rows.
func (p *plan) reflectors(k int) (t, top []float64) {
	const size = tile.Block * tile.Block
	return p.t[k*size : (k+1)*size], p.top[k*size : (k+1)*size]
}

func (p *plan) qrPanel(s *tile.Space, k int) {
	first, behind := p.bounds(k)
	m, n := p.m-first, behind-first
	at := p.a[first*p.lda+first:]
	t, top := p.reflectors(k)
	tile.Copy(p.panel, n, at, p.lda, m, n)
	s.QRPanel(m, n, p.panel, n, p.tau[first:behind], t, top)
	tile.Copy(at, p.lda, p.panel, n, m, n)
}

func (p *plan) qrApply(s *tile.Space, j, k int) {
	first, behind := p.bounds(k)
	lo, hi := p.columns(j, k)
	t, top := p.reflectors(k)
	var below []float64
	if behind < p.m {
		below = p.a[behind*p.lda+first:]
	}
	s.Reflect(p.m-first, hi-lo, behind-first, top, below, p.lda, t, p.a[first*p.lda+lo:], p.lda)
}
