package mesh

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A Mesh is a set of triangles over shared vertices. Seen from outside, the corners of a
// triangle are counter-clockwise.
type Mesh struct {
	Pos    []vec.Vec3
	Nrm    []vec.Vec3 // of length 1, as many as Pos
	Col    []vec.Vec3 // linear tint, as many as Pos; nil if all are white
	Idx    []uint32   // three a triangle
	Bounds vec.AABB
}

// Measure sets Bounds from Pos.
func (m *Mesh) Measure() {
	m.Bounds = vec.EmptyAABB()
	for _, p := range m.Pos {
		m.Bounds = m.Bounds.Extend(p)
	}
}

// Add appends another mesh, moved by a rigid or evenly scaling matrix and tinted.
func (m *Mesh) Add(b *Mesh, at vec.Mat4, tint vec.Vec3) {
	base := uint32(len(m.Pos))
	if m.Col == nil {
		m.Col = white(len(m.Pos))
	}
	for i, p := range b.Pos {
		m.Pos = append(m.Pos, at.Point(p))
		m.Nrm = append(m.Nrm, at.Dir(b.Nrm[i]).Normalize())
		c := tint
		if b.Col != nil {
			c = c.Mul(b.Col[i])
		}
		m.Col = append(m.Col, c)
	}
	for _, i := range b.Idx {
		m.Idx = append(m.Idx, base+i)
	}
	m.Measure()
}

func white(n int) []vec.Vec3 {
	c := make([]vec.Vec3, n)
	for i := range c {
		c[i] = vec.V3(1, 1, 1)
	}
	return c
}
