package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/qmuntal/gltf"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// meshes gathers the triangles of all nodes that the scene shows.
func (r *reader) meshes() error {
	roots, err := r.roots()
	if err != nil {
		return err
	}
	slices.Reverse(roots)
	for stack := roots; len(stack) > 0; {
		i := stack[len(stack)-1]
		n := r.doc.Nodes[i]
		stack = stack[:len(stack)-1]
		for _, c := range slices.Backward(n.Children) {
			stack = append(stack, c)
		}
		if n.Mesh == nil {
			continue
		}
		if *n.Mesh < 0 || *n.Mesh >= len(r.doc.Meshes) {
			return fmt.Errorf("node %d has mesh %d of %d", i, *n.Mesh, len(r.doc.Meshes))
		}
		bones, err := r.joints(i)
		if err != nil {
			return err
		}
		for k, p := range r.doc.Meshes[*n.Mesh].Primitives {
			if err := r.primitive(p, bones, n.Skin != nil); err != nil {
				return fmt.Errorf("mesh %d, part %d: %w", *n.Mesh, k, err)
			}
		}
	}
	if len(r.mesh.Index) == 0 {
		return errors.New("nothing to draw: no node of the scene has triangles")
	}
	return nil
}

// roots returns the nodes of the scene: that of the file, or the first, or all if there is none.
func (r *reader) roots() ([]int, error) {
	scene := 0
	if r.doc.Scene != nil {
		scene = *r.doc.Scene
	}
	if len(r.doc.Scenes) == 0 {
		var roots []int
		for i, b := range r.bone {
			if r.skeleton.Parent[b] < 0 {
				roots = append(roots, i)
			}
		}
		return roots, nil
	}
	if scene < 0 || scene >= len(r.doc.Scenes) {
		return nil, fmt.Errorf("scene %d of %d", scene, len(r.doc.Scenes))
	}
	roots := make([]int, 0, len(r.doc.Nodes))
	shown := map[int]bool{}
	for _, i := range r.doc.Scenes[scene].Nodes {
		if i < 0 || i >= len(r.doc.Nodes) {
			return nil, fmt.Errorf("the scene shows node %d of %d", i, len(r.doc.Nodes))
		}
		if !shown[i] {
			shown[i] = true
			roots = append(roots, i)
		}
	}
	return roots, nil
}

// joints returns the bones that the vertices of a node's mesh hang on: those of its skin, or
// its own.
func (r *reader) joints(node int) ([]int, error) {
	n := r.doc.Nodes[node]
	if n.Skin == nil {
		return []int{r.hang(node, vec.Ident)}, nil
	}
	if *n.Skin < 0 || *n.Skin >= len(r.doc.Skins) {
		return nil, fmt.Errorf("node %d has skin %d of %d", node, *n.Skin, len(r.doc.Skins))
	}
	skin := r.doc.Skins[*n.Skin]
	if len(skin.Joints) == 0 {
		return nil, fmt.Errorf("skin %d has no joints", *n.Skin)
	}
	var m []float64
	if skin.InverseBindMatrices != nil {
		var err error
		if m, _, err = r.numbers(*skin.InverseBindMatrices, 16); err != nil {
			return nil, fmt.Errorf("skin %d: %w", *n.Skin, err)
		}
		if len(m) < 16*len(skin.Joints) {
			return nil, fmt.Errorf("skin %d has %d bind matrices for %d joints", *n.Skin, len(m)/16,
				len(skin.Joints))
		}
	}
	bones := make([]int, len(skin.Joints))
	for i, j := range skin.Joints {
		if j < 0 || j >= len(r.doc.Nodes) {
			return nil, fmt.Errorf("skin %d has node %d of %d as a joint", *n.Skin, j,
				len(r.doc.Nodes))
		}
		bind := vec.Ident
		if m != nil {
			for k := range bind {
				bind[k] = float32(m[16*i+k])
			}
			if !finite(bind[:]...) {
				return nil, fmt.Errorf("skin %d: bind matrix %d is not finite", *n.Skin, i)
			}
		}
		bones[i] = r.hang(j, bind)
	}
	return bones, nil
}

// A part is the vertices of a primitive, each with what belongs to it.
type part struct {
	pos, nrm []vec.Vec3
	col      []vec.Vec3
	joint    [][4]uint16
	weight   [][4]float32
}

// primitive adds the triangles of one part. Points and lines are left out.
func (r *reader) primitive(g *gltf.Primitive, bones []int, skinned bool) error {
	switch g.Mode {
	case gltf.PrimitiveTriangles, gltf.PrimitiveTriangleStrip, gltf.PrimitiveTriangleFan:
	default:
		return nil
	}
	p, err := r.vertices(g, bones, skinned)
	if err != nil {
		return err
	}
	idx, err := r.indices(g, len(p.pos))
	if err != nil {
		return err
	}
	m := &r.mesh
	add := func(v uint32, n vec.Vec3) {
		m.Pos, m.Normal, m.Color = append(m.Pos, p.pos[v]), append(m.Normal, n),
			append(m.Color, p.col[v])
		m.Joint, m.Weight = append(m.Joint, p.joint[v]), append(m.Weight, p.weight[v])
	}
	base := uint32(len(m.Pos))
	if p.nrm != nil {
		for v := range p.pos {
			add(uint32(v), p.nrm[v])
		}
		for _, v := range idx {
			m.Index = append(m.Index, base+v)
		}
		return nil
	}
	for i := 0; i+2 < len(idx); i += 3 { // without normals the sides are flat
		a, b, c := idx[i], idx[i+1], idx[i+2]
		n := p.pos[b].Sub(p.pos[a]).Cross(p.pos[c].Sub(p.pos[a])).Normalize()
		for _, v := range [3]uint32{a, b, c} {
			m.Index = append(m.Index, uint32(len(m.Pos)))
			add(v, n)
		}
	}
	return nil
}

// vertices reads what a part has a vertex.
func (r *reader) vertices(g *gltf.Primitive, bones []int, skinned bool) (p part, err error) {
	attribute := func(name string, n int, widths ...int) (x []float64, w int, err error) {
		a, ok := g.Attributes[name]
		if !ok {
			return nil, 0, nil
		}
		if x, w, err = r.numbers(a, widths...); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		if n >= 0 && len(x) != n*w {
			return nil, 0, fmt.Errorf("%s: %d vertices, there are %d", name, len(x)/w, n)
		}
		return x, w, nil
	}
	x, _, err := attribute(gltf.POSITION, -1, 3)
	if err != nil {
		return p, err
	}
	if x == nil {
		return p, errors.New("no positions")
	}
	p.pos = vectors(x, 3)
	n := len(p.pos)
	if x, _, err = attribute(gltf.NORMAL, n, 3); err != nil {
		return p, err
	}
	if x != nil {
		p.nrm = vectors(x, 3)
		for i := range p.nrm {
			p.nrm[i] = p.nrm[i].Normalize()
		}
	}
	tint, err := r.tint(g)
	if err != nil {
		return p, err
	}
	x, w, err := attribute(gltf.COLOR_0, n, 3, 4)
	if err != nil {
		return p, err
	}
	if x != nil {
		p.col = vectors(x, w)
	} else {
		p.col = make([]vec.Vec3, n)
	}
	for i := range p.col {
		if x == nil {
			p.col[i] = tint
		} else {
			p.col[i] = p.col[i].Mul(tint)
		}
	}
	p.joint, p.weight = make([][4]uint16, n), make([][4]float32, n)
	for i := range n {
		p.joint[i] = [4]uint16{uint16(bones[0]), uint16(bones[0]), uint16(bones[0]),
			uint16(bones[0])}
		p.weight[i] = [4]float32{1}
	}
	if !skinned {
		return p, nil
	}
	joints, _, err := attribute(gltf.JOINTS_0, n, 4)
	if err != nil {
		return p, err
	}
	weights, _, err := attribute(gltf.WEIGHTS_0, n, 4)
	if err != nil {
		return p, err
	}
	if joints == nil || weights == nil {
		return p, errors.New("a skin, but no joints or no weights")
	}
	for i := range n {
		var sum float64
		for k := range 4 {
			if !(weights[4*i+k] >= 0) { // also if it is no number
				return p, fmt.Errorf("vertex %d has the weight %v", i, weights[4*i+k])
			}
			sum += weights[4*i+k]
		}
		if sum == 0 {
			continue // on the first joint
		}
		for k := range 4 {
			j := int(joints[4*i+k])
			if weights[4*i+k] == 0 {
				j = 0
			}
			if j < 0 || j >= len(bones) {
				return p, fmt.Errorf("vertex %d hangs on joint %d of %d", i, j, len(bones))
			}
			p.joint[i][k], p.weight[i][k] = uint16(bones[j]), float32(weights[4*i+k]/sum)
		}
	}
	return p, nil
}

func vectors(x []float64, width int) []vec.Vec3 {
	v := make([]vec.Vec3, len(x)/width)
	for i := range v {
		v[i] = vec.V3(float32(x[width*i]), float32(x[width*i+1]), float32(x[width*i+2]))
	}
	return v
}

// tint returns the colour of a part's material.
func (r *reader) tint(g *gltf.Primitive) (vec.Vec3, error) {
	if g.Material == nil {
		return vec.V3(0.6, 0.6, 0.6), nil
	}
	if *g.Material < 0 || *g.Material >= len(r.doc.Materials) {
		return vec.Vec3{}, fmt.Errorf("material %d of %d", *g.Material, len(r.doc.Materials))
	}
	pbr := r.doc.Materials[*g.Material].PBRMetallicRoughness
	if pbr == nil {
		return vec.V3(0.6, 0.6, 0.6), nil
	}
	c := pbr.BaseColorFactorOrDefault()
	return vec.V3(float32(c[0]), float32(c[1]), float32(c[2])), nil
}

// indices returns three vertices a triangle.
func (r *reader) indices(g *gltf.Primitive, n int) ([]uint32, error) {
	var all []uint32
	if g.Indices == nil {
		all = make([]uint32, n)
		for i := range all {
			all[i] = uint32(i)
		}
	} else {
		x, _, err := r.numbers(*g.Indices, 1)
		if err != nil {
			return nil, fmt.Errorf("indices: %w", err)
		}
		all = make([]uint32, len(x))
		for i, v := range x {
			if !(v >= 0 && v < float64(n)) {
				return nil, fmt.Errorf("index %d is %v: there are %d vertices", i, v, n)
			}
			all[i] = uint32(v)
		}
	}
	if g.Mode == gltf.PrimitiveTriangles {
		if len(all)%3 != 0 {
			return nil, fmt.Errorf("%d indices: not a number of triangles", len(all))
		}
		return all, nil
	}
	var idx []uint32
	for i := 2; i < len(all); i++ {
		switch a, b, c := all[i-2], all[i-1], all[i]; {
		case g.Mode == gltf.PrimitiveTriangleFan:
			idx = append(idx, b, c, all[0])
		case i%2 == 0:
			idx = append(idx, a, b, c)
		default:
			idx = append(idx, b, a, c)
		}
	}
	return idx, nil
}
