package vec

import "math"

// An AABB is a box along the axes. Min above Max in any part means that it is empty.
type AABB struct{ Min, Max Vec3 }

// EmptyAABB returns the box that holds nothing and that Extend may start from.
func EmptyAABB() AABB {
	const m = math.MaxFloat32
	return AABB{Vec3{m, m, m}, Vec3{-m, -m, -m}}
}

// BoxAt returns the box of a centre and its half extents.
func BoxAt(center, half Vec3) AABB { return AABB{center.Sub(half), center.Add(half)} }

// Extend returns the smallest box that holds b and p.
func (b AABB) Extend(p Vec3) AABB { return AABB{b.Min.Min(p), b.Max.Max(p)} }

// Union returns the smallest box that holds both.
func (b AABB) Union(c AABB) AABB { return AABB{b.Min.Min(c.Min), b.Max.Max(c.Max)} }

// Grow returns the box with every face moved outward by m.
func (b AABB) Grow(m float32) AABB {
	return AABB{b.Min.Sub(Vec3{m, m, m}), b.Max.Add(Vec3{m, m, m})}
}

// Empty reports whether the box holds no point.
func (b AABB) Empty() bool { return b.Min.X > b.Max.X || b.Min.Y > b.Max.Y || b.Min.Z > b.Max.Z }

// Center returns the middle.
func (b AABB) Center() Vec3 { return b.Min.Add(b.Max).Scale(0.5) }

// Half returns the half extents.
func (b AABB) Half() Vec3 { return b.Max.Sub(b.Min).Scale(0.5) }

// Contains reports whether p is inside or on the border.
func (b AABB) Contains(p Vec3) bool {
	return b.Min.X <= p.X && p.X <= b.Max.X && b.Min.Y <= p.Y && p.Y <= b.Max.Y &&
		b.Min.Z <= p.Z && p.Z <= b.Max.Z
}

// Overlaps reports whether the boxes share a point.
func (b AABB) Overlaps(c AABB) bool {
	return b.Min.X <= c.Max.X && c.Min.X <= b.Max.X && b.Min.Y <= c.Max.Y && c.Min.Y <= b.Max.Y &&
		b.Min.Z <= c.Max.Z && c.Min.Z <= b.Max.Z
}

// Corner returns one of the eight corners: bit 0 of i chooses Max.X, bit 1 Max.Y, bit 2 Max.Z.
func (b AABB) Corner(i int) Vec3 {
	p := b.Min
	if i&1 != 0 {
		p.X = b.Max.X
	}
	if i&2 != 0 {
		p.Y = b.Max.Y
	}
	if i&4 != 0 {
		p.Z = b.Max.Z
	}
	return p
}

// Transform returns a box that holds the box after the affine matrix m.
func (b AABB) Transform(m *Mat4) AABB {
	c, h := m.Point(b.Center()), b.Half()
	return BoxAt(c, Vec3{
		float32(Abs(m[0])*h.X) + float32(Abs(m[4])*h.Y) + float32(Abs(m[8])*h.Z),
		float32(Abs(m[1])*h.X) + float32(Abs(m[5])*h.Y) + float32(Abs(m[9])*h.Z),
		float32(Abs(m[2])*h.X) + float32(Abs(m[6])*h.Y) + float32(Abs(m[10])*h.Z),
	})
}
