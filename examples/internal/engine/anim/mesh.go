package anim

import (
	"fmt"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Mesh is the skin of a character, in the pose that its skeleton's bind matrices undo. Its
// triangles are counter-clockwise seen from outside.
type Mesh struct {
	Pos    []vec.Vec3
	Normal []vec.Vec3
	Color  []vec.Vec3   // linear; nil: white
	Joint  [][4]uint16  // bones that move the vertex
	Weight [][4]float32 // their shares, with the sum 1
	Index  []uint32     // three a triangle
}

// Check returns an error that says why the mesh does not fit a skeleton of so many bones, if it
// does not.
func (m *Mesh) Check(bones int) error {
	n := len(m.Pos)
	if len(m.Normal) != n || len(m.Joint) != n || len(m.Weight) != n ||
		m.Color != nil && len(m.Color) != n {
		return fmt.Errorf("mesh of %d vertices with %d normals, %d colours, %d joints and %d "+
			"weights",
			n, len(m.Normal), len(m.Color), len(m.Joint), len(m.Weight))
	}
	if len(m.Index)%3 != 0 {
		return fmt.Errorf("mesh with %d indices: not a number of triangles", len(m.Index))
	}
	for i, v := range m.Index {
		if int(v) >= n {
			return fmt.Errorf("index %d of the mesh is %d: it has %d vertices", i, v, n)
		}
	}
	for i, j := range m.Joint {
		var sum float32
		for k := range j {
			if int(j[k]) >= bones {
				return fmt.Errorf("vertex %d of the mesh hangs on bone %d of %d", i, j[k], bones)
			}
			sum += m.Weight[i][k]
		}
		if !(vec.Abs(sum-1) < 0.01) {
			return fmt.Errorf("the weights of vertex %d of the mesh add up to %v", i, sum)
		}
	}
	return nil
}

// Skin moves the vertices [lo, hi) of the mesh by the matrices of a pose, one a bone, into pos
// and normal, which have the mesh's length. Normals are right for poses without uneven scale.
func (m *Mesh) Skin(pose []vec.Mat4, pos, normal []vec.Vec3, lo, hi int) {
	for v := lo; v < hi; v++ {
		j, w := &m.Joint[v], &m.Weight[v]
		p, n := m.Pos[v], m.Normal[v]
		var sp, sn vec.Vec3
		for k := range j {
			if w[k] == 0 {
				continue
			}
			b := &pose[j[k]]
			sp = sp.AddScaled(b.Point(p), w[k])
			sn = sn.AddScaled(b.Dir(n), w[k])
		}
		pos[v], normal[v] = sp, sn.Normalize()
	}
}
