package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/qmuntal/gltf"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// bones makes a bone of every node, parents first.
func (r *reader) bones() error {
	nodes := r.doc.Nodes
	parent := make([]int, len(nodes))
	for i := range parent {
		parent[i] = -1
	}
	for i, n := range nodes {
		for _, c := range n.Children {
			if c < 0 || c >= len(nodes) {
				return fmt.Errorf("node %d has the child %d of %d nodes", i, c, len(nodes))
			}
			if parent[c] >= 0 {
				return fmt.Errorf("node %d is a child of the nodes %d and %d", c, parent[c], i)
			}
			parent[c] = i
		}
	}
	if len(nodes) > math.MaxInt16 {
		return fmt.Errorf("%d nodes: at most %d", len(nodes), math.MaxInt16)
	}
	r.bone = make([]int, len(nodes))
	r.bound = map[hanging]int{}
	var stack []int
	for i := len(nodes) - 1; i >= 0; i-- {
		if parent[i] < 0 {
			stack = append(stack, i)
		}
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		p := -1
		if parent[i] >= 0 {
			p = r.bone[parent[i]]
		}
		t, q, s := local(nodes[i])
		if !finite(t.X, t.Y, t.Z, q.X, q.Y, q.Z, q.W, s.X, s.Y, s.Z) {
			return fmt.Errorf("node %d has a place that is not finite", i)
		}
		r.bone[i] = r.add(p, t, q, s)
		for _, c := range slices.Backward(nodes[i].Children) {
			stack = append(stack, c)
		}
	}
	if r.skeleton.Len() < len(nodes) {
		return fmt.Errorf("%d nodes are their own ancestors", len(nodes)-r.skeleton.Len())
	}
	return nil
}

func (r *reader) add(parent int, t vec.Vec3, q vec.Quat, s vec.Vec3) int {
	k := &r.skeleton
	k.Parent = append(k.Parent, int16(parent))
	k.T, k.R, k.S = append(k.T, t), append(k.R, q), append(k.S, s)
	k.Bind = append(k.Bind, vec.Ident)
	r.used = append(r.used, false)
	return k.Len() - 1
}

// hang returns the bone for vertices that hang on a node and are moved by bind first. A bone
// has one such matrix: for a second one there is another bone at the same place.
func (r *reader) hang(node int, bind vec.Mat4) int {
	at := hanging{node, bind}
	if b, ok := r.bound[at]; ok {
		return b
	}
	b := r.bone[node]
	if r.used[b] {
		b = r.add(b, vec.Vec3{}, vec.QuatIdent, vec.V3(1, 1, 1))
	}
	r.used[b] = true
	r.skeleton.Bind[b] = bind
	r.bound[at] = b
	return b
}

// local returns the place of a node relative to its parent.
func local(n *gltf.Node) (vec.Vec3, vec.Quat, vec.Vec3) {
	if m := n.MatrixOrDefault(); m != gltf.DefaultMatrix {
		return decompose(m)
	}
	t, q, s := n.TranslationOrDefault(), n.RotationOrDefault(), n.ScaleOrDefault()
	return vec.V3(float32(t[0]), float32(t[1]), float32(t[2])),
		vec.Quat{X: float32(q[0]), Y: float32(q[1]), Z: float32(q[2]),
			W: float32(q[3])}.Normalize(),
		vec.V3(float32(s[0]), float32(s[1]), float32(s[2]))
}

// decompose takes an affine matrix apart. What is oblique in it is lost.
func decompose(m [16]float64) (vec.Vec3, vec.Quat, vec.Vec3) {
	col := func(c int) vec.Vec3 {
		return vec.V3(float32(m[4*c]), float32(m[4*c+1]), float32(m[4*c+2]))
	}
	x, y, z := col(0), col(1), col(2)
	s := vec.V3(x.Len(), y.Len(), z.Len())
	if x.Cross(y).Dot(z) < 0 { // a mirror
		s.X = -s.X
		x = x.Neg()
	}
	x = x.Normalize()
	z = x.Cross(y).Normalize()
	return col(3), turn(x, z.Cross(x), z), s
}

// turn returns the rotation that takes the axes to x, y and z.
func turn(x, y, z vec.Vec3) vec.Quat {
	// The largest of the four parts first, as the others are divided by it.
	var q vec.Quat
	switch {
	case x.X+y.Y+z.Z > 0:
		q = vec.Quat{X: y.Z - z.Y, Y: z.X - x.Z, Z: x.Y - y.X, W: 1 + x.X + y.Y + z.Z}
	case x.X >= y.Y && x.X >= z.Z:
		q = vec.Quat{X: 1 + x.X - y.Y - z.Z, Y: x.Y + y.X, Z: z.X + x.Z, W: y.Z - z.Y}
	case y.Y >= z.Z:
		q = vec.Quat{X: x.Y + y.X, Y: 1 - x.X + y.Y - z.Z, Z: y.Z + z.Y, W: z.X - x.Z}
	default:
		q = vec.Quat{X: z.X + x.Z, Y: y.Z + z.Y, Z: 1 - x.X - y.Y + z.Z, W: x.Y - y.X}
	}
	return q.Normalize()
}
