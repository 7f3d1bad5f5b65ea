package draw

import (
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Static is the geometry that never moves, in world space. Objects are added at set-up and
// numbered from 0.
type Static struct {
	Bounds []vec.AABB // of each object
	items  []raster.Item
}

// Add adds an object and returns its number. The material must not keep to the model's space.
func (s *Static) Add(m *mesh.Mesh, at vec.Mat4, tint vec.Vec3, mat raster.Material) int {
	it := raster.Item{
		Pos: make([]vec.Vec3, len(m.Pos)), Nrm: make([]vec.Vec3, len(m.Pos)), Col: m.Col,
		Idx: m.Idx, Model: vec.Ident, Tint: tint, Material: mat,
	}
	box := vec.EmptyAABB()
	for i, p := range m.Pos {
		it.Pos[i], it.Nrm[i] = at.Point(p), at.Dir(m.Nrm[i]).Normalize()
		box = box.Extend(it.Pos[i])
	}
	s.items = append(s.items, it)
	s.Bounds = append(s.Bounds, box)
	return len(s.items) - 1
}

// Len returns how many objects there are.
func (s *Static) Len() int { return len(s.items) }

// Items returns the objects in full, for a shadow map.
func (s *Static) Items() []raster.Item { return s.items }

// Size returns the sums over the objects, each cut in the worst way: vertices and indices.
func (s *Static) Size() (vertices, indices int) {
	for i := range s.items {
		n := len(s.items[i].Idx)
		vertices += len(s.items[i].Pos) + 2*n/3
		indices += 2 * n
	}
	return vertices, indices
}
