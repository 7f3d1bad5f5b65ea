package cull

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// An Occlusion is a small depth buffer of what certainly hides other things: occluders, which
// are solid boxes that are drawn in full. Each is the box -1..1 under a matrix that scales,
// rotates and translates. A frame runs the stages in order:
//
//	[Occlusion.Begin]  once: takes the view and the occluders
//	[Occlusion.Setup]  occluders: moves their sides to the screen
//	[Occlusion.Draw]   rows of the buffer
//	[Occlusion.Test]   boxes: those that nothing can be seen of become Hidden
//
// A texel holds a depth only where one side of an occluder covers all of it, and then the
// farthest depth of that side within the texel. A box is hidden if its nearest corner is
// behind the texels all over the rectangle that its corners span.
type Occlusion struct {
	w, h  int
	near  float32
	m     vec.Mat4
	boxes []vec.Mat4
	sides []side
	texel []float32 // 1 / distance; 0: nothing
}

// A side is one face of an occluder that looks at the eye.
type side struct {
	e          [4][3]float64 // its edges, as planes through the eye: inside where none is negative
	d          [3]float64    // 1 / distance at x, y is d[0]*x + d[1]*y + d[2]
	minY, maxY int32         // rows, inclusive; empty if maxY < minY
}

// margin is added around all that is drawn or tested, in texels: more than rounding, here and
// in a rasteriser, can amount to.
const margin = 0.02

// NewOcclusion returns a buffer of w by h texels for at most n occluders a frame.
func NewOcclusion(w, h, n int) *Occlusion {
	return &Occlusion{w: w, h: h, texel: make([]float32, w*h), sides: make([]side, 0, 6*n)}
}

// Begin starts a frame with a view from the world to clip space, what is nearer than near not
// being drawn. It panics on more occluders than the buffer was made for.
func (o *Occlusion) Begin(viewProj *vec.Mat4, near float32, occluders []vec.Mat4) {
	if 6*len(occluders) > cap(o.sides) {
		panic("cull: more occluders than the buffer was made for")
	}
	o.m, o.near, o.boxes = *viewProj, near, occluders
	o.sides = o.sides[:6*len(occluders)]
}

// faces are the corners of the sides of a box, counter-clockwise seen from outside. Bit 0 of a
// corner is along X, bit 1 along Y, bit 2 along Z.
var faces = [6][4]int{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1},
	{4, 5, 7, 6}}

// Setup prepares the occluders lo to hi-1.
func (o *Occlusion) Setup(lo, hi int) {
	for i := lo; i < hi; i++ {
		m := o.m.Mul(&o.boxes[i])
		var c [8][3]float64
		unit := vec.BoxAt(vec.Vec3{}, vec.V3(1, 1, 1))
		for k := range c {
			p := m.Project(unit.Corner(k))
			c[k] = [3]float64{
				float64(p.X+p.W) * 0.5 * float64(o.w),
				float64(p.W-p.Y) * 0.5 * float64(o.h),
				float64(p.W),
			}
		}
		for k, f := range faces {
			o.setupSide(&o.sides[6*i+k], &c[f[0]], &c[f[1]], &c[f[2]], &c[f[3]])
		}
	}
}

func (o *Occlusion) setupSide(s *side, a, b, c, d *[3]float64) {
	s.minY, s.maxY = 0, -1
	// y runs down, so a side that looks at the eye has its corners clockwise on the screen.
	s.e = [4][3]float64{cross(b, a), cross(c, b), cross(d, c), cross(a, d)}
	det := dot(&s.e[0], c) // of a, b, c, with the sign turned
	if !(det > 1e-12) {
		return
	}
	// With w at the corners a, b and c, the plane of 1 / distance is the sum of the edges
	// opposite to each over the determinant.
	ca := cross(a, c)
	for k := range 3 {
		s.d[k] = (s.e[0][k] + s.e[1][k] + ca[k]) / det
	}
	near := float64(o.near)
	if a[2] < near || b[2] < near || c[2] < near || d[2] < near {
		s.maxY = int32(o.h - 1)
		return
	}
	ya, yb, yc, yd := a[1]/a[2], b[1]/b[2], c[1]/c[2], d[1]/d[2]
	lo, hi := min(ya, yb, yc, yd), max(ya, yb, yc, yd)
	s.minY = int32(max(lo-1, 0))
	s.maxY = int32(min(hi+1, float64(o.h-1)))
}

func cross(a, b *[3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func dot(a, b *[3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Rows returns how many rows Draw ranges over.
func (o *Occlusion) Rows() int { return o.h }

// Draw draws the rows lo to hi-1.
func (o *Occlusion) Draw(lo, hi int) {
	clear(o.texel[lo*o.w : hi*o.w])
	for i := range o.sides {
		s := &o.sides[i]
		for y := max(lo, int(s.minY)); y < min(hi, int(s.maxY)+1); y++ {
			o.drawRow(s, y)
		}
	}
}

func (o *Occlusion) drawRow(s *side, y int) {
	const half = 0.5 + margin
	fy := float64(y) + 0.5
	// The texels that all edges have inside, from the left to the right.
	lo, hi := 0.0, float64(o.w-1)
	for k := range s.e {
		e := &s.e[k]
		r := e[1]*fy + e[2] - half*(abs(e[0])+abs(e[1]))
		switch {
		case e[0] > 0:
			lo = max(lo, -r/e[0]-0.5)
		case e[0] < 0:
			hi = min(hi, -r/e[0]-0.5)
		case r < 0:
			return
		}
	}
	if !(lo <= hi) {
		return
	}
	row := o.texel[y*o.w : (y+1)*o.w]
	limit := (1 - 1e-4) / float64(o.near)
	spread := half * (abs(s.d[0]) + abs(s.d[1]))
	for x := int(lo); x <= int(hi); x++ {
		fx := float64(x) + 0.5
		ok := true
		for k := range s.e {
			e := &s.e[k]
			ok = ok && e[0]*fx+e[1]*fy+e[2] >= half*(abs(e[0])+abs(e[1]))
		}
		d := s.d[0]*fx + s.d[1]*fy + s.d[2]
		// Where a side is nearer than near it is not drawn and hides nothing.
		if !ok || d+spread > limit {
			continue
		}
		if f := float32((d - spread) * (1 - 1e-4)); f > row[x] {
			row[x] = f
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

// Test turns those of the states lo to hi-1 to Hidden that are seen but whose box is behind
// what was drawn.
func (o *Occlusion) Test(boxes []vec.AABB, states []State, lo, hi int) {
	for i := lo; i < hi; i++ {
		if states[i].Seen() && o.Hides(boxes[i]) {
			states[i] = Hidden
		}
	}
}

// Hides reports whether nothing of a box can be seen.
func (o *Occlusion) Hides(b vec.AABB) bool {
	var nearest float32
	minX, minY, maxX, maxY := float32(1e9), float32(1e9), float32(-1e9), float32(-1e9)
	for k := range 8 {
		p := o.m.Project(b.Corner(k))
		if p.W < o.near {
			return false
		}
		inv := 1 / p.W
		nearest = max(nearest, inv)
		x, y := (p.X*inv+1)*0.5*float32(o.w), (1-p.Y*inv)*0.5*float32(o.h)
		minX, maxX = min(minX, x), max(maxX, x)
		minY, maxY = min(minY, y), max(maxY, y)
	}
	nearest *= 1 + 1e-4
	w, h := float32(o.w), float32(o.h)
	if maxX < 0 || maxY < 0 || minX > w || minY > h {
		return false // for the frustum to say
	}
	x0, x1 := int(max(minX-margin, 0)), int(min(maxX+margin, w-1))
	y0, y1 := int(max(minY-margin, 0)), int(min(maxY+margin, h-1))
	for y := y0; y <= y1; y++ {
		for _, d := range o.texel[y*o.w+x0 : y*o.w+x1+1] {
			if d < nearest {
				return false
			}
		}
	}
	return true
}
