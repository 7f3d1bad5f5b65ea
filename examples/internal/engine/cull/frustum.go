package cull

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A Frustum is what a view shows: the inner side of its left, right, lower, upper and near
// border. It has no far border, as the pictures have none.
type Frustum struct {
	planes [5]vec.Plane
}

// NewFrustum returns the frustum of a matrix from the world to clip space.
func NewFrustum(viewProj *vec.Mat4) Frustum {
	var f Frustum
	p := viewProj.Planes()
	copy(f.planes[:], p[:5])
	return f
}

// Planes returns the five borders with normals inward: left, right, bottom, top, near.
func (f *Frustum) Planes() [5]vec.Plane { return f.planes }

// slack is how far a box may be beyond a border, as a share of the numbers involved, and still
// not count as outside: more than rounding can amount to.
const slack = 1e-5

// Box returns the state of one box. An empty one is outside.
func (f *Frustum) Box(b vec.AABB) State {
	if b.Empty() {
		return Outside
	}
	c, h := b.Center(), b.Half()
	s := Inside
	for i := range f.planes {
		p := &f.planes[i]
		r := p.N.Abs().Dot(h)
		d := p.Dist(c)
		e := slack * (1 + vec.Abs(p.D) + c.Abs().X + c.Abs().Y + c.Abs().Z + r)
		if d < -r-e {
			return Outside
		}
		if d < r+e {
			s = Crossing
		}
	}
	return s
}

// Boxes sets the states lo to hi-1 from the boxes.
func (f *Frustum) Boxes(boxes []vec.AABB, states []State, lo, hi int) {
	for i := lo; i < hi; i++ {
		states[i] = f.Box(boxes[i])
	}
}
