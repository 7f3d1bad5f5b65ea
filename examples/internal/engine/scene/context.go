package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/cull"
	"github.com/heddle-go/heddle/examples/internal/engine/draw"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Context is what the picture of one frame is drawn from. It holds nothing that the next
// frame changes, so with two of them, one is drawn while the other is prepared. Its stages, in
// order, each over a range of what is said:
//
//	Begin        once      the view
//	CullStatic   stones    what is outside the view
//	Setup, Draw of Hide    occluders, rows
//	HideStatic   stones    what is behind others
//	Clip         stones    triangles outside the view
//	Place        movers    their bounds; what is outside the view, or behind others
//	SkinFigures  figures   their meshes; after the update of each, and nothing else
//	Items        movers    what there is to draw
//	Dust         particles
//	Gather       once      an empty list
//	CollectStatic, CollectMovers
//	Sort of List once
//	Emit         places of the list
//
// A mover is a body, a figure or a patch: see Movers. Dust reads the particles, the others the
// state of the movers: they come after all updates of their frame and before its End.
type Context struct {
	View    raster.View
	Frustum cull.Frustum
	Hide    *cull.Occlusion
	Clipped *draw.Clipped
	List    *draw.List
	Splats  []raster.Splat

	// CullOff makes all seem to be seen.
	CullOff bool

	static  []cull.State // of stones
	boxes   []vec.AABB   // of movers
	states  []cull.State
	items   []raster.Item
	pos     []vec.Vec3 // of figures and patches, one after the other
	normal  []vec.Vec3
	cube    *mesh.Mesh
	ball    *mesh.Mesh
	rock    *mesh.Mesh
	sled    *mesh.Mesh
	patch   []uint32
	aspect  float32
	figure0 int // the first mover that is a figure
	patch0  int // and that is a patch
	verts   int // of a figure
	points  int // of a patch
	casters []raster.Item
}

// NewContext returns a context for pictures of a scene with an aspect, which is width over
// height.
func (s *Scene) NewContext(aspect float32) *Context {
	c := &Context{
		Hide:    cull.NewOcclusion(s.detail.hides[0], s.detail.hides[1], len(s.occluders)),
		Clipped: s.Static.NewClipped(),
		Splats:  make([]raster.Splat, len(s.Particles.Pos)),
		static:  make([]cull.State, s.Static.Len()),
		cube:    mesh.Box(vec.V3(1, 1, 1)), ball: mesh.Sphere(1, s.detail.round),
		rock: mesh.Boulder(), sled: sledMesh(), patch: s.Cloth.Index(),
		aspect: aspect, figure0: s.World.Slots(), verts: len(s.Crowd.Mesh.Pos),
		points: s.Cloth.Points(),
	}
	c.patch0 = c.figure0 + s.Crowd.Len()
	n := c.patch0 + s.Cloth.Len()
	c.List = draw.NewList(s.Static.Len() + n)
	c.boxes, c.states, c.items = make([]vec.AABB, n), make([]cull.State, n), make([]raster.Item, n)
	c.casters = make([]raster.Item, 0, n)
	v := s.Crowd.Len()*c.verts + s.Cloth.Len()*c.points
	c.pos, c.normal = make([]vec.Vec3, v), make([]vec.Vec3, v)
	return c
}

// Room returns how much a renderer of the scene's pictures must be made for, as its Reserve
// takes it.
func (s *Scene) Room(c *Context) (items, vertices, indices, splats int) {
	vertices, indices = s.Static.Size()
	vertices += len(c.pos)
	for i := range s.bodyLook {
		if s.World.Kind[i] == rigid.Gone { // until something is loaded
			vertices += max(len(c.cube.Pos), len(c.ball.Pos))
			indices += max(len(c.cube.Idx), len(c.ball.Idx))
		} else if s.bodyLook[i].kind != lookNone {
			m := c.meshOf(s, i)
			vertices += len(m.Pos)
			indices += len(m.Idx)
		}
	}
	indices += s.Crowd.Len()*len(s.Crowd.Mesh.Index) + s.Cloth.Len()*len(c.patch)
	return s.Static.Len() + len(c.items), vertices, indices, len(c.Splats)
}

// Movers returns the number of movers.
func (c *Context) Movers() int { return len(c.items) }

// Begin takes the view of the frame under way.
func (c *Context) Begin(s *Scene) {
	c.View = raster.NewView(s.Eye, s.Target, 0.9, c.aspect, 0.1)
	c.Frustum = cull.NewFrustum(&c.View.ViewProj)
	c.Hide.Begin(&c.View.ViewProj, c.View.Near, s.occluders)
}

// Occluders returns how many occluders Hide's Setup ranges over.
func (s *Scene) Occluders() int { return len(s.occluders) }

// CullStatic finds which of the stones [lo, hi) the view shows.
func (c *Context) CullStatic(s *Scene, lo, hi int) {
	if c.CullOff {
		cull.All(c.static, lo, hi)
		return
	}
	c.Frustum.Boxes(s.Static.Bounds, c.static, lo, hi)
}

// AnyStone reports whether the view shows any of the stones, as CullStatic has found.
func (c *Context) AnyStone() bool {
	for i := range c.static {
		if c.static[i].Seen() {
			return true
		}
	}
	return false
}

// HideStatic finds which of the stones [lo, hi) are behind others. It comes after CullStatic, and
// if that has found any in view, after Hide's Draw.
func (c *Context) HideStatic(s *Scene, lo, hi int) {
	if !c.CullOff {
		c.Hide.Test(s.Static.Bounds, c.static, lo, hi)
	}
}

// Clip cuts the stones [lo, hi) to the view.
func (c *Context) Clip(lo, hi int) { c.Clipped.Clip(&c.Frustum, c.static, lo, hi) }

// Place finds the bounds of the movers [lo, hi) and whether the view shows them. It comes after
// Hide's Draw.
func (c *Context) Place(s *Scene, lo, hi int) {
	for i := lo; i < hi; i++ {
		if c.Frame(s, i) {
			c.Hidden(i)
		}
	}
}

// Frame is the first half of Place for one mover: its bounds, and whether these are in the view.
// Only then something can hide it.
func (c *Context) Frame(s *Scene, i int) (inView bool) {
	b := vec.EmptyAABB()
	switch {
	case i >= c.patch0:
		if s.used[Patch][i-c.patch0] {
			b = s.Cloth.Bounds[i-c.patch0]
		}
	case i >= c.figure0:
		if s.used[Figure][i-c.figure0] {
			b = s.Crowd.Bounds[i-c.figure0]
		}
	default:
		if s.World.Kind[i] != rigid.Gone && s.bodyLook[i].kind != lookNone {
			b = s.World.Bounds[i]
			if s.bodyLook[i].kind == lookSled { // its pole is no part of the body
				model := s.model(i)
				b = c.sled.Bounds.Transform(&model)
			}
		}
	}
	c.boxes[i], c.states[i] = b, cull.Outside
	if c.CullOff {
		if !b.Empty() {
			c.states[i] = cull.Crossing
		}
		return false
	}
	c.states[i] = c.Frustum.Box(b)
	return c.states[i].Seen()
}

// Hidden is the second half of Place for one mover that is in the view. It comes after Hide's Draw.
func (c *Context) Hidden(i int) {
	if !c.CullOff {
		c.Hide.Test(c.boxes, c.states, i, i+1)
	}
}

// SkinFigure bends the mesh of a figure as that is posed. It comes after the figure's update.
func (c *Context) SkinFigure(s *Scene, slot int) {
	pos, normal := c.meshAt(slot)
	s.Crowd.Mesh.Skin(s.Crowd.PoseOf(slot), pos, normal, 0, c.verts)
}

// meshAt returns the vertices and normals of a figure.
func (c *Context) meshAt(slot int) (pos, normal []vec.Vec3) {
	at := slot * c.verts
	return c.pos[at : at+c.verts : at+c.verts], c.normal[at : at+c.verts : at+c.verts]
}

// SkinApart skins the figures [lo, hi) of those that wait for nothing of the simulation.
func (c *Context) SkinApart(s *Scene, lo, hi int) {
	for _, slot := range s.Part.Apart[lo:hi] {
		c.SkinFigure(s, int(slot))
	}
}

// SkinChains skins the figures in the chains of dependents [lo, hi).
func (c *Context) SkinChains(s *Scene, lo, hi int) {
	for _, d := range s.Part.Dependents[s.Part.Chains[lo]:s.Part.Chains[hi]] {
		if d.Kind == Figure {
			c.SkinFigure(s, int(d.Slot))
		}
	}
}

// Items makes the items of the movers [lo, hi). It comes after Place.
func (c *Context) Items(s *Scene, lo, hi int) {
	for i := lo; i < hi; i++ {
		it := &c.items[i]
		*it = raster.Item{}
		if c.boxes[i].Empty() {
			continue
		}
		switch {
		case i >= c.patch0:
			k := i - c.patch0
			at := s.Crowd.Len()*c.verts + k*c.points
			pos, normal := c.pos[at:at+c.points:at+c.points], c.normal[at:at+c.points:at+c.points]
			copy(pos, s.Cloth.PosOf(k))
			copy(normal, s.Cloth.NormalOf(k))
			*it = raster.Item{Pos: pos, Nrm: normal, Idx: c.patch, Model: vec.Ident,
				Tint: s.patchLook[k], Material: draw.Fabric}
		case i >= c.figure0:
			k := i - c.figure0
			pos, normal := c.meshAt(k)
			m := s.Crowd.Mesh
			*it = raster.Item{Pos: pos, Nrm: normal, Col: s.colors[k], Idx: m.Index,
				Model: vec.Ident, Tint: vec.V3(1, 1, 1), Material: draw.Dressed}
		default:
			l, m := &s.bodyLook[i], c.meshOf(s, i)
			*it = raster.Item{
				Pos: m.Pos, Nrm: m.Nrm, Col: m.Col, Idx: m.Idx, Tint: l.tint,
				Material: materials[l.kind],
				Model:    s.model(i),
			}
		}
	}
}

// meshOf returns the mesh of a body, of size -1..1 but for a prop.
func (c *Context) meshOf(s *Scene, i int) *mesh.Mesh {
	switch {
	case s.bodyLook[i].kind >= lookProp:
		return s.props[i].Mesh
	case s.bodyLook[i].kind == lookRock:
		return c.rock
	case s.World.Shape[i] == rigid.Ball:
		return c.ball
	case s.bodyLook[i].kind == lookSled:
		return c.sled
	}
	return c.cube
}

// model returns the space of a body with its size, which a prop's mesh has already.
func (s *Scene) model(i int) vec.Mat4 {
	if s.bodyLook[i].kind >= lookProp {
		return vec.Rigid(s.World.Pos[i], s.World.Rot[i])
	}
	return vec.TRS(s.World.Pos[i], s.World.Rot[i], s.World.Half[i])
}

// Dust makes the splats of the particles [lo, hi).
func (c *Context) Dust(s *Scene, lo, hi int) { draw.Splats(c.Splats, s.Particles, lo, hi) }

// Gather empties the list of what is to be drawn. It comes before Collect.
func (c *Context) Gather() { c.List.Begin(len(c.static) + len(c.items)) }

// CollectStatic puts the stones [lo, hi) that are seen on the list.
func (c *Context) CollectStatic(s *Scene, lo, hi int) {
	c.List.Collect(&c.View, 0, s.Static.Bounds, c.static, lo, hi)
}

// CollectMovers puts the movers [lo, hi) that are seen on the list.
func (c *Context) CollectMovers(lo, hi int) {
	c.List.Collect(&c.View, len(c.static), c.boxes, c.states, lo, hi)
}

// Emit fills in the places [lo, hi) of the list, after its Sort.
func (c *Context) Emit(lo, hi int) {
	c.List.Emit(0, c.Clipped.Items(), lo, hi)
	c.List.Emit(len(c.static), c.items, lo, hi)
}

// Casters returns the movers that cast a shadow, whether they are seen or not.
func (c *Context) Casters() []raster.Item {
	c.casters = c.casters[:0]
	for i := range c.items {
		if c.items[i].Idx != nil {
			c.casters = append(c.casters, c.items[i])
		}
	}
	return c.casters
}

// Serial runs all stages.
func (c *Context) Serial(s *Scene) {
	n, m := s.Static.Len(), c.Movers()
	c.Begin(s)
	c.CullStatic(s, 0, n)
	c.Hide.Setup(0, s.Occluders())
	c.Hide.Draw(0, c.Hide.Rows())
	c.HideStatic(s, 0, n)
	c.Clip(0, n)
	c.Place(s, 0, m)
	c.SkinApart(s, 0, len(s.Part.Apart))
	c.SkinChains(s, 0, s.Part.ChainCount())
	c.Items(s, 0, m)
	c.Dust(s, 0, len(c.Splats))
	c.Gather()
	c.CollectStatic(s, 0, n)
	c.CollectMovers(0, m)
	c.List.Sort()
	c.Emit(0, c.List.Len())
}
