package mesh

import (
	"cmp"
	"math"
	"slices"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Limb is what a figure has around a part of one joint in the bind pose: round, from A to B.
type Limb struct {
	Joint  int
	A, B   vec.Vec3
	RA, RB float32 // radius at each end
	Flat   float32 // 0: round; else depth over width, along Z
}

// Figure grows one closed skin around limbs: the surface at which the distances to all limbs,
// smoothly joined over the length blend, are zero. It is cut into cells of the given size, so
// a limb much thinner than a cell is lost. A vertex follows the joints of the limbs that it is
// nearest to, among those near in the skeleton, whose parents are given by joint, -1 at a root.
// The second result has for each vertex the nearest limb.
func Figure(limbs []Limb, parent []int16, cell, blend float32) (*Skinned, []int) {
	// Gibson, "Constrained Elastic Surface Nets", MICCAI 1998: a vertex in every cell that the
	// surface passes, a quad around every edge that it cuts.
	f := newField(limbs, cell, blend)
	s := &Skinned{}
	vertex := make([]int32, len(f.d))
	for z := range f.nz - 1 {
		for y := range f.ny - 1 {
			for x := range f.nx - 1 {
				i := f.at(x, y, z)
				vertex[i] = -1
				if p, ok := f.crossing(x, y, z); ok {
					vertex[i] = int32(len(s.Pos))
					s.Pos = append(s.Pos, p)
				}
			}
		}
	}
	for z := 1; z < f.nz-1; z++ {
		for y := 1; y < f.ny-1; y++ {
			for x := 1; x < f.nx-1; x++ {
				i := f.at(x, y, z)
				for axis, step := range [3]int{1, f.nx, f.nx * f.ny} {
					in, out := f.d[i] < 0, f.d[i+step] < 0
					if in == out {
						continue
					}
					u := [3]int{f.nx, f.nx * f.ny, 1}[axis]
					v := [3]int{f.nx * f.ny, 1, f.nx}[axis]
					a, b, c, d := vertex[i-u-v], vertex[i-v], vertex[i], vertex[i-u]
					if !in {
						b, d = d, b
					}
					s.Idx = append(s.Idx, uint32(a), uint32(b), uint32(c), uint32(a), uint32(c),
						uint32(d))
				}
			}
		}
	}
	s.Nrm = make([]vec.Vec3, len(s.Pos))
	s.Joint = make([][4]uint16, len(s.Pos))
	s.Weight = make([][4]float32, len(s.Pos))
	nearest := make([]int, len(s.Pos))
	near := kin(parent)
	for i, p := range s.Pos {
		for range 3 { // onto the surface
			g := f.gradient(p)
			p = p.AddScaled(g, -f.dist(p))
		}
		s.Pos[i], s.Nrm[i] = p, f.gradient(p).Normalize()
		nearest[i] = f.bind(p, near, &s.Joint[i], &s.Weight[i])
	}
	s.Measure()
	return s, nearest
}

// A field is the signed distance to the limbs, also sampled at the points of a grid.
type field struct {
	limbs       []Limb
	cell, blend float32
	org         vec.Vec3
	nx, ny, nz  int
	d           []float32
}

func newField(limbs []Limb, cell, blend float32) *field {
	f := &field{limbs: limbs, cell: cell, blend: blend}
	box := vec.EmptyAABB()
	for i := range limbs {
		box = box.Union(limbs[i].bounds())
	}
	box = box.Grow(blend + 3*cell)
	f.org = box.Min
	n := box.Max.Sub(box.Min).Scale(1 / cell)
	f.nx, f.ny, f.nz = int(n.X)+2, int(n.Y)+2, int(n.Z)+2
	f.d = make([]float32, f.nx*f.ny*f.nz)
	for i := range f.d {
		f.d[i] = math.MaxFloat32
	}
	// A limb changes the field only within reach of it.
	for i := range limbs {
		b := &limbs[i]
		r := b.bounds().Grow(blend + 2*cell)
		lo, hi := r.Min.Sub(f.org).Scale(1/cell), r.Max.Sub(f.org).Scale(1/cell)
		for z := max(0, int(lo.Z)); z < min(f.nz, int(hi.Z)+2); z++ {
			for y := max(0, int(lo.Y)); y < min(f.ny, int(hi.Y)+2); y++ {
				for x := max(0, int(lo.X)); x < min(f.nx, int(hi.X)+2); x++ {
					at := f.at(x, y, z)
					f.d[at] = smoothMin(f.d[at], b.dist(f.point(x, y, z)), blend)
				}
			}
		}
	}
	return f
}

func (f *field) at(x, y, z int) int { return (z*f.ny+y)*f.nx + x }

func (f *field) point(x, y, z int) vec.Vec3 {
	return f.org.Add(vec.V3(float32(x), float32(y), float32(z)).Scale(f.cell))
}

// crossing returns the mean of the points at which the surface cuts the edges of a cell.
func (f *field) crossing(x, y, z int) (vec.Vec3, bool) {
	var d [8]float32
	var p [8]vec.Vec3
	inside := 0
	for c := range 8 {
		cx, cy, cz := x+c&1, y+c>>1&1, z+c>>2
		d[c], p[c] = f.d[f.at(cx, cy, cz)], f.point(cx, cy, cz)
		if d[c] < 0 {
			inside++
		}
	}
	if inside == 0 || inside == 8 {
		return vec.Vec3{}, false
	}
	var sum vec.Vec3
	n := float32(0)
	for a := range 8 {
		for _, bit := range [3]int{1, 2, 4} {
			b := a | bit
			if a == b || d[a] < 0 == (d[b] < 0) {
				continue
			}
			sum = sum.Add(p[a].Lerp(p[b], d[a]/(d[a]-d[b])))
			n++
		}
	}
	return sum.Scale(1 / n), true
}

func (f *field) dist(p vec.Vec3) float32 {
	d := float32(math.MaxFloat32)
	for i := range f.limbs {
		d = smoothMin(d, f.limbs[i].dist(p), f.blend)
	}
	return d
}

func (f *field) gradient(p vec.Vec3) vec.Vec3 {
	const h = 1e-3
	return vec.V3(
		f.dist(p.Add(vec.V3(h, 0, 0)))-f.dist(p.Sub(vec.V3(h, 0, 0))),
		f.dist(p.Add(vec.V3(0, h, 0)))-f.dist(p.Sub(vec.V3(0, h, 0))),
		f.dist(p.Add(vec.V3(0, 0, h)))-f.dist(p.Sub(vec.V3(0, 0, h))),
	).Scale(1 / (2 * h))
}

// bind chooses the joints of a vertex and returns the nearest limb.
func (f *field) bind(p vec.Vec3, near [][]bool, joint *[4]uint16, weight *[4]float32) int {
	first, least := 0, float32(math.MaxFloat32)
	for i := range f.limbs {
		if d := f.limbs[i].dist(p); d < least {
			first, least = i, d
		}
	}
	type pair struct {
		w float32
		j int
	}
	var best []pair
	reach := f.blend*1.5 + f.cell
	for i := range f.limbs {
		l := &f.limbs[i]
		w := 1 - (l.dist(p)-least)/reach
		if w <= 0 || !near[f.limbs[first].Joint][l.Joint] {
			continue
		}
		if k := slices.IndexFunc(best, func(b pair) bool { return b.j == l.Joint }); k >= 0 {
			best[k].w = max(best[k].w, w*w)
		} else {
			best = append(best, pair{w * w, l.Joint})
		}
	}
	slices.SortFunc(best, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.w, a.w), a.j-b.j)
	})
	best = best[:min(len(best), 4)]
	var sum float32
	for _, b := range best {
		sum += b.w
	}
	for k := range joint {
		joint[k] = uint16(f.limbs[first].Joint)
		if k < len(best) {
			joint[k], weight[k] = uint16(best[k].j), best[k].w/sum
		}
	}
	return first
}

// kin tells of each two joints whether they are at most two steps apart in the skeleton.
func kin(parent []int16) [][]bool {
	n := len(parent)
	linked := func(a, b int) bool { return int(parent[a]) == b || int(parent[b]) == a }
	near := make([][]bool, n)
	for a := range n {
		near[a] = make([]bool, n)
		for b := range n {
			ok := a == b || linked(a, b)
			for c := 0; c < n && !ok; c++ {
				ok = linked(a, c) && linked(c, b)
			}
			near[a][b] = ok
		}
	}
	return near
}

func (b *Limb) bounds() vec.AABB {
	r := max(b.RA, b.RB)
	return vec.EmptyAABB().Extend(b.A).Extend(b.B).Grow(r)
}

// dist returns about the signed distance of p to the limb.
func (b *Limb) dist(p vec.Vec3) float32 {
	ab, ap := b.B.Sub(b.A), p.Sub(b.A)
	flat := float32(1)
	if b.Flat != 0 {
		flat = 1 / b.Flat
		ab.Z, ap.Z = ab.Z*flat, ap.Z*flat
	}
	t := float32(0)
	if l := ab.Len2(); l > 0 {
		t = vec.Clamp(ap.Dot(ab)/l, 0, 1)
	}
	return ap.Sub(ab.Scale(t)).Len() - vec.Lerp(b.RA, b.RB, t)
}

// smoothMin returns the smaller of two distances, rounded off where they differ by less than k.
func smoothMin(a, b, k float32) float32 {
	if k <= 0 || vec.Abs(a-b) >= k {
		return min(a, b)
	}
	h := (k - vec.Abs(a-b)) / k
	return min(a, b) - h*h*k*0.25
}
