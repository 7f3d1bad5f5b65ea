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

// How much a courtyard has, and how much room there is for what is loaded.
const (
	yardX, yardZ = 18, 15 // metres from one to the next

	yardBodies, moreBodies     = 32, 40
	yardFigures                = 5
	yardEmitters, moreEmitters = 5, 12
	yardPatches                = 2
	yardVoices, moreVoices     = 4, 12
	yardObjects, moreObjects   = 96, 160
	moreRoots                  = 8
)

// looks of bodies
const (
	lookNone uint8 = iota // not drawn: it is static geometry, or a figure stands for it
	lookCrate
	lookBall
	lookSteel
	lookSled
)

var materials = [...]raster.Material{
	lookCrate: draw.Crate,
	lookBall:  {Color: vec.Vec3{X: 1, Y: 1, Z: 1}, Specular: 0.35, Gloss: 6},
	lookSteel: draw.Iron,
	lookSled:  draw.Crate,
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

// build fills an empty scene.
func (s *Scene) build(d *detail) error {
	n := s.Size
	s.detail = d
	s.Objects = newObjects(n*yardObjects + moreObjects)
	s.Part = newPartition(s.Objects.Len())
	s.Roots = make([]ID, 0, n+1+moreRoots)
	s.World = rigid.New(n*yardBodies + moreBodies)
	s.bodyLook = make([]look, s.World.Slots())
	s.Particles = particle.New(s.Seed, n*yardEmitters+moreEmitters, d.particles)
	s.Cloth = cloth.New(n*yardPatches, d.cols, d.rows, d.gap)
	s.Mixer = audio.New(n*yardVoices+moreVoices, d.blocks)
	s.Scores[0] = make(audio.Score, n*yardVoices+moreVoices)
	s.Scores[1] = make(audio.Score, n*yardVoices+moreVoices)
	s.Placed[0] = newPlaced(s.World.Slots())
	s.Placed[1] = newPlaced(s.World.Slots())
	s.figures = make([]walk, n*yardFigures)
	s.engines = make([]engine, 3*n)
	s.voices = make([]voice, n*yardVoices+moreVoices)
	s.patchLook = make([]vec.Vec3, n*yardPatches)
	model := d.model()
	s.fit = model.Fit
	if s.fit == (vec.Mat4{}) {
		s.fit = vec.Ident
	}
	var err error
	if s.Crowd, err = anim.NewCrowd(model.Skeleton, model.Clips, model.Mesh, n*yardFigures); err != nil {
		return err
	}
	s.colors = make([][]vec.Vec3, n*yardFigures)
	for i := range s.colors {
		s.colors[i] = model.Mesh.Color
		if model.Colors != nil {
			r := vec.RandAt(s.Seed, 2, uint64(i))
			s.colors[i] = model.Colors(r.Uint64())
		}
	}
	s.slots(Engine, 3*n)
	s.slots(Figure, n*yardFigures)
	s.slots(Emitter, n*yardEmitters+moreEmitters)
	s.slots(Patch, n*yardPatches)
	s.slots(Voice, n*yardVoices+moreVoices)

	cols := 1
	for cols*cols < n {
		cols++
	}
	for k := range n {
		s.centers = append(s.centers, vec.V3(float32(k%cols)*yardX, 0, -float32(k/cols)*yardZ))
	}
	rest := s.Objects.add(Group, 0, 0)
	s.Roots = append(s.Roots, rest)
	s.Objects.hold(rest, s.Objects.add(Camera, 0, 0))
	far := float32(cols) * yardX
	center := vec.V3(float32(cols-1)*yardX/2, -0.02, -float32((n-1)/cols)*yardZ/2)
	s.stone(rest, mesh.Ground(100+far, 100+far, d.meadow, d.meadow), vec.Translation(center), draw.Meadow)
	for k, c := range s.centers {
		s.yard(d, k, c)
	}
	for _, c := range s.centers {
		for _, p := range [...][2]vec.Vec3{
			{{X: -7.4, Y: 2.1, Z: 7.2}, {X: 1, Y: 1.3, Z: -2.2}},
			{{X: -1.5, Y: 1.8, Z: 6.8}, {X: 0.6, Y: 1.2, Z: -1.5}},
			{{X: 5.5, Y: 2.6, Z: 7.6}, {X: 0, Y: 1.1, Z: -1}},
		} {
			s.path.Eye, s.path.Target = append(s.path.Eye, c.Add(p[0])), append(s.path.Target, c.Add(p[1]))
		}
	}
	return nil
}

// stone adds static geometry, and its object.
func (s *Scene) stone(group ID, m *mesh.Mesh, at vec.Mat4, mat raster.Material) {
	slot := s.Static.Add(m, at, vec.V3(1, 1, 1), mat)
	s.Objects.hold(group, s.Objects.add(Stone, slot, 0))
}

// block adds a box of static geometry that bodies collide with and that hides what is behind.
func (s *Scene) block(group ID, c, half vec.Vec3, mat raster.Material) {
	s.stone(group, mesh.Box(half), vec.Translation(c), mat)
	s.body(rigid.Body{Kind: rigid.Fixed, Shape: rigid.Box, Half: half, Pos: c, Friction: 0.6}, lookNone, vec.Vec3{})
	if half.Y > 1 {
		s.occluders = append(s.occluders, vec.TRS(c, vec.QuatIdent, half))
	}
}

// yard builds a courtyard.
func (s *Scene) yard(d *detail, k int, c vec.Vec3) {
	r := vec.RandAt(s.Seed, 1, uint64(k))
	g := s.Objects.add(Group, 0, 0)
	s.Roots = append(s.Roots, g)
	at := func(x, y, z float32) vec.Vec3 { return c.Add(vec.V3(x, y, z)) }
	hold := func(id ID) ID { s.Objects.hold(g, id); return id }

	// What stands.
	s.stone(g, mesh.Ground(16, 13, d.paving, d.paving-1), vec.Translation(c), draw.Paving)
	column := d.column(0.32, 4.2)
	for i := range 5 {
		x := -7 + 3.5*float32(i)
		s.stone(g, column, vec.Translation(at(x, 0, -5.2)), draw.Marble)
		s.body(rigid.Body{Kind: rigid.Fixed, Shape: rigid.Box, Half: vec.V3(0.4, 2, 0.4), Pos: at(x, 2, -5.2), Friction: 0.6}, lookNone, vec.Vec3{})
	}
	s.stone(g, mesh.Box(vec.V3(7.6, 0.25, 0.45)), vec.Translation(at(0, 4.45, -5.2)), draw.Marble)
	s.block(g, at(0, 2.3, -6.9), vec.V3(8, 2.3, 0.3), draw.OldWall)
	s.block(g, at(0, 0.2, 6.3), vec.V3(8, 0.2, 0.2), draw.Marble)
	s.block(g, at(-7.8, 0.2, 0), vec.V3(0.2, 0.2, 6.5), draw.Marble)
	s.block(g, at(7.8, 0.2, 0), vec.V3(0.2, 0.2, 6.5), draw.Marble)

	// What forces move: a stack, a pyramid, balls, a sled.
	crate := func(x, y, z, turn float32) ID {
		const h = 0.35
		return hold(s.thing(rigid.Body{Shape: rigid.Box, Half: vec.V3(h, h, h), Pos: at(x, y, z), Rot: vec.AxisAngle(vec.V3(0, 1, 0), turn)}, lookCrate, crateTint(&r)))
	}
	var top ID
	for i := range 5 {
		top = crate(5.4, 0.35+0.7*float32(i), -3, 0.08*float32(i)+0.2)
	}
	crate(2.9, 0.35, -3.4, 0)
	crate(3.7, 0.35, -3.4, 0)
	crate(3.3, 1.05, -3.4, 0)
	var balls [3]ID
	for i := range balls {
		p := at(2.2*float32(i)-1.5, 0.6+0.5*float32(i), 2.6-0.8*float32(i))
		balls[i] = hold(s.thing(rigid.Body{Shape: rigid.Ball, Half: vec.V3(0.3+0.04*float32(i), 0, 0), Pos: p, Bounce: 0.5, Friction: 0.5, Density: 150}, lookBall, ballTint(&r)))
	}
	sled := hold(s.thing(rigid.Body{Shape: rigid.Box, Half: sledHalf, Pos: at(-2.6, 0.13, -2), Friction: 0.25, Density: 300}, lookSled, vec.V3(0.7, 0.6, 0.55)))

	// Inputs: two pushers for the sled, a mill for the balls, somebody who walks in between.
	push := func(x, phase float32) {
		s.engine(hold, at(x, 0.4, -2), vec.V3(0.15, 0.4, 0.7), engine{swing: vec.V3(0.95, 0, 0), rate: 1.3, phase: phase})
	}
	push(-5, r.Range(0, 1))
	push(-0.2, r.Range(2, 4))
	s.engine(hold, at(0.2, 0.35, 1.4), vec.V3(1.3, 0.22, 0.1), engine{turn: 1.1})
	walker := s.figure(walk{center: at(3.4, 0, 1.6), radius: 2.3, speed: 1.35, angle: r.Range(0, 6)}, anim.ClipWalk, r.Range(0, 1))
	slot := s.Objects.Slot[hold(walker)]
	s.Objects.Body[walker] = int32(s.body(rigid.Body{Kind: rigid.Rails, Shape: rigid.Ball, Half: vec.V3(walkerRadius, 0, 0), Pos: s.walkerAt(int(slot)), Friction: 0.4}, lookNone, vec.Vec3{}))

	// Dependents: who rides the sled with a torch and a flag, what is heard and seen of bodies.
	rider := hold(s.figure(walk{}, anim.ClipRide, r.Range(0, 1)))
	s.attach(rider, sled, -1, vec.Rigid(vec.V3(0.1, 0.13, 0), vec.AxisAngle(vec.V3(0, 1, 0), vec.Pi/2)))
	torch := fire()
	torch.Radius, torch.Size, torch.Grow, torch.Life = 0.05, 0.13, -0.1, 0.6
	hold(s.emitter(torch, rider, min(anim.BoneHandL, s.Crowd.Skeleton.Len()-1), vec.V3(0.1, 0.05, 0)))
	hold(s.emitter(sparks(), balls[0], -1, vec.Vec3{}))
	flag := hold(s.patch(cloth.PinLeft, vec.Translation(at(-3.45, 0.13+poleHeight, -2)), vec.V3(0.75, 0.12, 0.08)))
	s.attach(flag, sled, -1, vec.Translation(vec.V3(-0.85, poleHeight, 0)))
	hold(s.voice(audio.Note{Sound: audio.Rumble, Pitch: 200}, 0.5, balls[0], vec.Vec3{}))
	hold(s.voice(audio.Note{Sound: audio.Knock, Pitch: r.Range(300, 500)}, 0.8, top, vec.Vec3{}))

	// Unrelated: dancers by a fire, a curtain, the fire's sound and a hum.
	for _, a := range [2]float32{0.4, 2.2} {
		sin, cos := vec.Sincos(a)
		d := hold(s.figure(walk{}, anim.ClipDance, r.Range(0, 2)))
		j := s.Objects.Slot[d]
		s.stand(int(j), vec.Rigid(at(-4.9+1.4*cos, 0, 2.9-1.4*sin), vec.AxisAngle(vec.V3(0, 1, 0), a-vec.Pi/2)))
		s.Crowd.Speed[j] = r.Range(0.9, 1.1)
	}
	idler := hold(s.figure(walk{}, anim.ClipIdle, r.Range(0, 4)))
	s.stand(int(s.Objects.Slot[idler]), vec.Rigid(at(0.9, 0, -4.1), vec.AxisAngle(vec.V3(0, 1, 0), -0.3)))
	f := fire()
	f.Pos = at(-4.9, 0.15, 2.9)
	hold(s.emitter(f, None, -1, vec.Vec3{}))
	f = smoke()
	f.Pos = at(-4.9, 0.9, 2.9)
	hold(s.emitter(f, None, -1, vec.Vec3{}))
	dust := sparks()
	dust.Pos, dust.Size = at(-4.9, 0.3, 2.9), 0.02
	hold(s.emitter(dust, None, -1, vec.Vec3{}))
	hold(s.patch(cloth.PinTop, vec.Translation(at(-2.5, 4, -5.2)), vec.V3(0.12, 0.25, 0.5)))
	hold(s.voice(audio.Note{Sound: audio.Rumble, Pitch: 700}, 0.25, None, at(-4.9, 0.3, 2.9)))
	hold(s.voice(audio.Note{Sound: audio.Hum, Pitch: r.Range(90, 140)}, 0.15, None, at(0.2, 0.35, 1.4)))
}

func (s *Scene) engine(hold func(ID) ID, center, half vec.Vec3, e engine) {
	slot, _ := s.take(Engine)
	e.center = center
	s.engines[slot] = e
	start := center.AddScaled(e.swing, vec.Sin(e.phase))
	body := s.body(rigid.Body{Kind: rigid.Rails, Shape: rigid.Box, Half: half, Pos: start, Friction: 0.3}, lookSteel, vec.V3(2, 2, 2))
	hold(s.Objects.add(Engine, slot, body))
}

func (s *Scene) figure(f walk, clip int16, clock float32) ID {
	slot, _ := s.take(Figure)
	s.figures[slot] = f
	clip = max(0, min(clip, int16(len(s.Crowd.Clips)-1)))
	s.Crowd.From[slot], s.Crowd.To[slot], s.Crowd.Blend[slot], s.Crowd.Clock[slot] = clip, clip, 0, clock
	return s.Objects.add(Figure, slot, 0)
}

func (s *Scene) walkerAt(slot int) vec.Vec3 {
	f := &s.figures[slot]
	sin, cos := vec.Sincos(f.angle)
	return f.center.Add(vec.V3(f.radius*cos, walkerRadius, -f.radius*sin))
}

func (s *Scene) patch(pin cloth.Pin, hold vec.Mat4, tint vec.Vec3) ID {
	slot, _ := s.take(Patch)
	s.Cloth.Place(slot, pin, hold)
	s.patchLook[slot] = tint
	return s.Objects.add(Patch, slot, 0)
}

// Bounds returns a box that holds the courtyards, for a shadow map.
func (s *Scene) Bounds() vec.AABB {
	b := vec.EmptyAABB()
	for _, c := range s.centers {
		b = b.Union(vec.AABB{Min: c.Add(vec.V3(-9, -0.5, -8)), Max: c.Add(vec.V3(9, 5.5, 8))})
	}
	return b
}
