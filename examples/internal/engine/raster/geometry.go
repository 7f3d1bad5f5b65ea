package raster

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A geometry takes items to the triangles of a screen, and triangles to samples. The renderer
// and the shadow map both have one.
//
// Triangles are not clipped: their edges are planes through the eye, and a sample is inside
// where it is on the inner side of all three, also if a corner lies behind the eye. Edges
// shared by two triangles are the same bits with opposite signs, so there is neither a gap nor
// a double sample.
type geometry struct {
	// Olano and Greer, "Triangle Scan Conversion using 2D Homogeneous Coordinates",
	// Graphics Hardware 1997.
	w, h    int
	m       vec.Mat4 // world to clip space
	ortho   bool
	near    float32 // for a perspective
	items   []Item
	place   []place // of each item in the arrays below, and one more
	verts   []corner
	tris    []tri     // clusterSize slots for each cluster, the first of them in use
	cluster []cluster // in the order of the items
}

// clusterSize is how many triangles of an item share bounds on the screen.
const clusterSize = 64

type place struct{ vert, cluster int }

// A corner is a vertex on the screen, before the division by w: x/w and y/w are pixels from
// the top left.
type corner struct{ x, y, w, q float32 }

type cluster struct {
	minX, minY, maxX, maxY int16 // samples, inclusive; empty if maxX < minX
	n                      int16
	item                   int32
}

// A tri is a triangle on the screen. Edge k is opposite to corner k; its value at a sample is
// the weight of the corner there, times w.
type tri struct {
	e [3][3]float64
	// the depth at x, y is d[0]*x + d[1]*y + d[2]: larger is nearer
	d                      [3]float64
	minX, minY, maxX, maxY int16
	back                   bool
	item                   int32
	v                      [3]uint32
}

// begin takes the items and finds each its place. It is one sequential step.
func (g *geometry) begin(items []Item) {
	g.items = items
	g.place = grow(g.place, len(items)+1)
	var p place
	for i := range items {
		g.place[i] = p
		p.vert += len(items[i].Pos)
		p.cluster += clusters(len(items[i].Idx))
	}
	g.place[len(items)] = p
	g.verts = grow(g.verts, p.vert)
	g.cluster = grow(g.cluster, p.cluster)
	g.tris = grow(g.tris, p.cluster*clusterSize)
}

// reserve makes room for so many items, vertices and indices.
func (g *geometry) reserve(items, vertices, indices int) {
	c := clusters(indices) + items // each item may leave one cluster partly empty
	g.place = grow(g.place, items+1)
	g.verts = grow(g.verts, vertices)
	g.cluster = grow(g.cluster, c)
	g.tris = grow(g.tris, c*clusterSize)
}

func clusters(indices int) int { return (indices/3 + clusterSize - 1) / clusterSize }

// grow returns a slice of length n that begins with nothing in particular.
func grow[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// setup prepares the items lo to hi-1.
func (g *geometry) setup(lo, hi int) {
	for i := lo; i < hi; i++ {
		it := &g.items[i]
		verts := g.verts[g.place[i].vert:g.place[i+1].vert]
		m := g.m.Mul(&it.Model)
		halfW, halfH := float32(g.w)/2, float32(g.h)/2
		for k, p := range it.Pos {
			c := m.Project(p)
			q := float32(1)
			if g.ortho {
				q = 0.5 - 0.5*c.Z
			}
			verts[k] = corner{(c.X + c.W) * halfW, (c.W - c.Y) * halfH, c.W, q}
		}
		c := g.place[i].cluster
		for from := 0; from < len(it.Idx); from += 3 * clusterSize {
			idx := it.Idx[from:min(from+3*clusterSize, len(it.Idx))]
			g.setupCluster(&g.cluster[c], g.tris[c*clusterSize:], it, int32(i), verts, idx)
			c++
		}
	}
}

func (g *geometry) setupCluster(c *cluster, tris []tri, it *Item, item int32, verts []corner,
	idx []uint32) {
	*c = cluster{minX: int16(g.w), minY: int16(g.h), maxX: -1, maxY: -1, item: item}
	for k := 0; k+2 < len(idx); k += 3 {
		t := &tris[c.n]
		if !g.setupTri(t, it.Material.TwoSided, verts, idx[k], idx[k+1], idx[k+2]) {
			continue
		}
		t.item = item
		c.n++
		c.minX, c.minY = min(c.minX, t.minX), min(c.minY, t.minY)
		c.maxX, c.maxY = max(c.maxX, t.maxX), max(c.maxY, t.maxY)
	}
}

// setupTri fills t and reports whether any sample may be inside.
func (g *geometry) setupTri(t *tri, both bool, verts []corner, i0, i1, i2 uint32) bool {
	a, b, c := &verts[i0], &verts[i1], &verts[i2]
	w, h := float32(g.w), float32(g.h)
	switch { // all on the outer side of one border
	case a.x < 0 && b.x < 0 && c.x < 0, a.y < 0 && b.y < 0 && c.y < 0,
		a.x > w*a.w && b.x > w*b.w && c.x > w*c.w, a.y > h*a.w && b.y > h*b.w && c.y > h*c.w,
		a.w < g.near && b.w < g.near && c.w < g.near:
		return false
	}
	e0, e1, e2 := edge(b, c), edge(c, a), edge(a, b)
	det := float64(float64(a.x)*e0[0]) + float64(float64(a.y)*e0[1]) + float64(float64(a.w)*e0[2])
	// y runs down on the screen, so the front has the negative sign.
	t.back = det > 0
	if det == 0 || t.back && !both {
		return false
	}
	if !t.back {
		for k := range 3 {
			e0[k], e1[k], e2[k] = -e0[k], -e1[k], -e2[k]
		}
		det = -det
	}
	if near := max(g.near, 1e-6); a.w >= near && b.w >= near && c.w >= near {
		ax, bx, cx := a.x/a.w, b.x/b.w, c.x/c.w
		ay, by, cy := a.y/a.w, b.y/b.w, c.y/c.w
		const slack = 0.002
		t.minX = sample(min(ax, bx, cx)+0.5-slack, g.w)
		t.maxX = sample(max(ax, bx, cx)-0.5+slack, g.w)
		t.minY = sample(min(ay, by, cy)+0.5-slack, g.h)
		t.maxY = sample(max(ay, by, cy)-0.5+slack, g.h)
		if t.minX > t.maxX || t.minY > t.maxY || int(t.minX) >= g.w || int(t.minY) >= g.h ||
			t.maxX < 0 || t.maxY < 0 {
			return false
		}
		t.minX, t.minY = max(t.minX, 0), max(t.minY, 0)
		t.maxX, t.maxY = min(t.maxX, int16(g.w-1)), min(t.maxY, int16(g.h-1))
	} else {
		t.minX, t.minY, t.maxX, t.maxY = 0, 0, int16(g.w-1), int16(g.h-1)
	}
	t.e = [3][3]float64{e0, e1, e2}
	s := 1 / det
	qa, qb, qc := float64(a.q), float64(b.q), float64(c.q)
	for k := range 3 {
		t.d[k] = (float64(e0[k]*qa) + float64(e1[k]*qb) + float64(e2[k]*qc)) * s
	}
	t.v = [3]uint32{i0, i1, i2}
	return true
}

// sample returns the whole number at or below x, within a little more than 0..n-1.
func sample(x float32, n int) int16 {
	return int16(vec.Floor(vec.Clamp(x, -1, float32(n))))
}

// edge returns the plane through the eye and two corners.
func edge(a, b *corner) [3]float64 {
	ax, ay, aw := float64(a.x), float64(a.y), float64(a.w)
	bx, by, bw := float64(b.x), float64(b.y), float64(b.w)
	// The conversions keep a compiler from fusing: an edge backwards must be the exact opposite.
	return [3]float64{
		float64(ay*bw) - float64(aw*by),
		float64(aw*bx) - float64(ax*bw),
		float64(ax*by) - float64(ay*bx),
	}
}

// draw draws the samples x0..x1, y0..y1, bounds inclusive, into the whole screen's depth and
// ids. ids may be nil; else it receives 1 + the slot of the triangle seen.
func (g *geometry) draw(x0, y0, x1, y1 int, depth []float32, ids []uint32) {
	tx0, ty0, tx1, ty1 := int16(x0), int16(y0), int16(x1), int16(y1)
	for c := range g.cluster {
		k := &g.cluster[c]
		if k.maxX < tx0 || k.minX > tx1 || k.maxY < ty0 || k.minY > ty1 {
			continue
		}
		base := c * clusterSize
		for i := range int(k.n) {
			t := &g.tris[base+i]
			if t.maxX < tx0 || t.minX > tx1 || t.maxY < ty0 || t.minY > ty1 {
				continue
			}
			g.fill(t, max(t.minX, tx0), max(t.minY, ty0), min(t.maxX, tx1), min(t.maxY, ty1), depth,
				ids, uint32(base+i+1))
		}
	}
}

// fill draws one triangle within bounds.
func (g *geometry) fill(t *tri, x0, y0, x1, y1 int16, depth []float32, ids []uint32, id uint32) {
	e0, e1, e2 := &t.e[0], &t.e[1], &t.e[2]
	l0, l1, l2 := least(e0), least(e1), least(e2)
	limit := float32(1e30)
	if !g.ortho {
		limit = 1 / g.near
	}
	narrow := x1-x0 > 3
	var inv [3]float64
	if narrow {
		inv = [3]float64{1 / e0[0], 1 / e1[0], 1 / e2[0]}
	}
	for y := y0; y <= y1; y++ {
		fy := float64(y) + 0.5
		r0 := float64(e0[1]*fy) + e0[2]
		r1 := float64(e1[1]*fy) + e1[2]
		r2 := float64(e2[1]*fy) + e2[2]
		rd := float64(t.d[1]*fy) + t.d[2]
		from, to := x0, x1
		if narrow {
			// Where the edges cross the row, with a sample to spare: the test below decides.
			lo, hi := float64(x0), float64(x1)
			for k, r := range [3]float64{r0, r1, r2} {
				switch ex := t.e[k][0]; {
				case ex > 0:
					lo = max(lo, -r*inv[k]-1.5)
				case ex < 0:
					hi = min(hi, -r*inv[k]+0.5)
				case r < 0:
					hi = lo - 1
				}
			}
			if !(lo <= hi) {
				continue
			}
			from, to = int16(lo), int16(hi)
		}
		row := int(y)*g.w + int(from)
		for x := from; x <= to; x++ {
			fx := float64(x) + 0.5
			if float64(e0[0]*fx)+r0 >= l0 && float64(e1[0]*fx)+r1 >= l1 &&
				float64(e2[0]*fx)+r2 >= l2 {
				d := float32(float64(t.d[0]*fx) + rd)
				if d > depth[row] && d <= limit {
					depth[row] = d
					if ids != nil {
						ids[row] = id
					}
				}
			}
			row++
		}
	}
}

// least returns the least value of an edge that counts as inside: of two triangles at an edge
// exactly one has the samples on it.
func least(e *[3]float64) float64 {
	if e[0] > 0 || e[0] == 0 && e[1] > 0 {
		return 0
	}
	return 5e-324
}
