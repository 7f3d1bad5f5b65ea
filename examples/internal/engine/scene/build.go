package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/audio"
	"github.com/heddle-go/heddle/examples/internal/engine/cloth"
	"github.com/heddle-go/heddle/examples/internal/engine/draw"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/particle"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// How much room there is for what is loaded.
var loaded = room{bodies: 40, emitters: 12, voices: 12, stones: 56}

const moreRoots = 8

// looks of bodies
const (
	lookNone uint8 = iota // not drawn: it is static geometry, or a figure stands for it
	lookCrate
	lookBall
	lookSteel
	lookSled
	lookRock
	lookProp
	lookMissing // a placeholder
)

var materials = [...]raster.Material{
	lookCrate: draw.Crate,
	lookBall:  {Color: vec.Vec3{X: 1, Y: 1, Z: 1}, Specular: 0.35, Gloss: 6},
	lookSteel: draw.Iron,
	lookSled:  draw.Crate,
	lookRock:  draw.Cliff,
	lookProp:  draw.Glazed,

	lookMissing: draw.Warning,
}

var sledHalf = vec.Vec3{X: 0.95, Y: 0.13, Z: 0.5}

// poleHeight is that of the sled's flag above the sled's middle.
const poleHeight = 3.3

// sledMesh returns a box of -1..1 with a pole on it, as it looks before it is scaled to the
// sled's size.
func sledMesh() *mesh.Mesh {
	m, h := mesh.Box(vec.V3(1, 1, 1)), sledHalf
	pole := mesh.Box(vec.V3(0.025/h.X, poleHeight/2/h.Y, 0.025/h.Z))
	m.Add(pole, vec.Translation(vec.V3(-0.87/h.X, poleHeight/2/h.Y, 0)), vec.V3(0.8, 0.8, 0.8))
	return m
}

// build fills an empty scene, with sites for so many props if there are any.
func (s *Scene) build(d *detail, st *staging, props int) error {
	n := s.Size
	s.detail = d
	s.layOut(st)
	all := loaded
	sites := 0
	if props > 0 {
		nx, nz := sitesAcross(s.area)
		sites = nx * nz
	}
	all.bodies += sites
	each := st.room(d)
	for range n {
		all = all.plus(each)
	}
	objects := n*each.objects() + loaded.objects() + sites
	s.Objects = newObjects(objects)
	s.Part = newPartition(objects)
	s.Roots = make([]ID, 0, n+1+moreRoots+sites)
	s.World = rigid.New(all.bodies)
	s.props = make([]*Prop, s.World.Slots())
	s.bodyLook = make([]look, s.World.Slots())
	s.Particles = particle.New(s.Seed, all.emitters, d.particles)
	s.Cloth = cloth.New(all.patches, d.cols, d.rows, d.gap)
	s.Mixer = audio.New(all.voices, d.blocks)
	for h := range 2 {
		s.Scores[h] = make(audio.Score, all.voices)
		s.Placed[h] = newPlaced(s.World.Slots())
	}
	s.engines = make([]engine, all.engines)
	s.voices = make([]voice, all.voices)
	s.patchLook = make([]vec.Vec3, all.patches)
	if err := s.people(all.figures); err != nil {
		return err
	}
	s.slots(Engine, all.engines)
	s.slots(Figure, all.figures)
	s.slots(Emitter, all.emitters)
	s.slots(Patch, all.patches)
	s.slots(Voice, all.voices)

	rest := s.Objects.add(Group, 0, 0)
	s.Roots = append(s.Roots, rest)
	s.Objects.hold(rest, s.Objects.add(Camera, 0, 0))
	middle := s.area.Min.Lerp(s.area.Max, 0.5)
	size := s.area.Max.Sub(s.area.Min)
	s.stone(rest, mesh.Ground(100+size.X, 100+size.Z, d.meadow, d.meadow),
		vec.Translation(vec.V3(middle.X, -0.02, middle.Z)), draw.Meadow)
	for k, c := range s.centers {
		g := s.Objects.add(Group, 0, 0)
		s.Roots = append(s.Roots, g)
		st.build(&plot{s, d, vec.RandAt(s.Seed, 1, uint64(k)), c, g})
		for _, v := range st.views {
			s.path.Eye, s.path.Target = append(s.path.Eye, c.Add(v[0])),
				append(s.path.Target, c.Add(v[1]))
		}
	}
	s.Eye, _ = s.path.At(0)
	if props > 0 {
		s.addSites(props)
	}
	return nil
}

// layOut finds the places of the plots.
func (s *Scene) layOut(st *staging) {
	cols := 1
	for cols*cols < s.Size {
		cols++
	}
	s.area = vec.EmptyAABB()
	for k := range s.Size {
		c := vec.V3(float32(k%cols)*st.dx, 0, -float32(k/cols)*st.dz)
		s.centers = append(s.centers, c)
		s.area = s.area.Union(vec.AABB{Min: c.Add(st.low), Max: c.Add(st.high)})
	}
}

// people makes room for figures.
func (s *Scene) people(n int) (err error) {
	model := s.detail.model()
	s.doll, s.limbBones = model.Doll, model.Limbs
	s.fit = model.Fit
	if s.fit == (vec.Mat4{}) {
		s.fit = vec.Ident
	}
	s.figures = make([]walk, n)
	s.limbs, s.joints, s.driven = make([][]limb, n), make([][]joint, n), make([][]anim.Driven, n)
	if s.Crowd, err = anim.NewCrowd(model.Skeleton, model.Clips, model.Mesh, n); err != nil {
		return err
	}
	s.colors = make([][]vec.Vec3, n)
	for i := range s.colors {
		s.colors[i] = model.Mesh.Color
		if model.Colors != nil {
			r := vec.RandAt(s.Seed, 2, uint64(i))
			s.colors[i] = model.Colors(r.Uint64())
		}
	}
	return nil
}

// stone adds static geometry, and its object.
func (s *Scene) stone(group ID, m *mesh.Mesh, at vec.Mat4, mat raster.Material) {
	slot := s.Static.Add(m, at, vec.V3(1, 1, 1), mat)
	s.Objects.hold(group, s.Objects.add(Stone, slot, 0))
}

func (s *Scene) patch(pin cloth.Pin, hold vec.Mat4, tint vec.Vec3) ID {
	slot, _ := s.take(Patch)
	s.Cloth.Place(slot, pin, hold)
	s.patchLook[slot] = tint
	return s.Objects.add(Patch, slot, 0)
}

// Bounds returns a box that holds the plots, for a shadow map.
func (s *Scene) Bounds() vec.AABB { return s.area }
