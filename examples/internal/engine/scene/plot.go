package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/particle"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A plot is a piece of a scene while it is built. Places are relative to its centre.
type plot struct {
	s     *Scene
	d     *detail
	r     vec.Rand
	c     vec.Vec3
	group ID // holds all that is there
}

// beside returns the same plot from a centre that is further on.
func (p *plot) beside(x, z float32) *plot {
	q := *p
	q.c, q.r = p.at(x, 0, z), vec.NewRand(p.r.Uint64())
	return &q
}

func (p *plot) at(x, y, z float32) vec.Vec3 { return p.c.Add(vec.V3(x, y, z)) }

func (p *plot) hold(id ID) ID {
	p.s.Objects.hold(p.group, id)
	return id
}

// stone adds static geometry.
func (p *plot) stone(m *mesh.Mesh, at vec.Vec3, mat raster.Material) {
	p.s.stone(p.group, m, vec.Translation(at), mat)
}

// block adds a box of static geometry that bodies collide with and that hides what is behind, if it
// is high.
func (p *plot) block(c, half vec.Vec3, mat raster.Material) {
	p.stone(mesh.Box(half), c, mat)
	p.pillar(c, half)
	if half.Y > 1 {
		p.s.occluders = append(p.s.occluders, vec.TRS(c, vec.QuatIdent, half))
	}
}

// pillar adds what bodies collide with and is not drawn.
func (p *plot) pillar(c, half vec.Vec3) {
	p.s.body(rigid.Body{Kind: rigid.Fixed, Shape: rigid.Box, Half: half, Pos: c, Friction: 0.6},
		lookNone, vec.Vec3{})
}

// crate adds a cube.
func (p *plot) crate(x, y, z, half, turn float32) ID {
	return p.hold(p.s.thing(rigid.Body{
		Shape: rigid.Box, Half: vec.V3(half, half, half), Pos: p.at(x, y, z),
		Rot: vec.AxisAngle(vec.V3(0, 1, 0), turn),
	}, lookCrate, crateTint(&p.r)))
}

// rock adds a boulder.
func (p *plot) rock(x, y, z, radius float32) ID {
	return p.hold(p.s.thing(rigid.Body{
		Shape: rigid.Ball, Half: vec.V3(radius, 0, 0), Pos: p.at(x, y, z), Friction: 0.9,
		Density: 900,
	}, lookRock, vec.V3(1, 1, 1).Scale(p.r.Range(0.6, 1))))
}

// engine adds a body on rails.
func (p *plot) engine(center, half vec.Vec3, e engine) {
	s := p.s
	slot, _ := s.take(Engine)
	e.center = center
	s.engines[slot] = e
	start := center.AddScaled(e.swing, vec.Sin(e.phase))
	body := s.body(rigid.Body{Kind: rigid.Rails, Shape: rigid.Box, Half: half, Pos: start,
		Friction: 0.3}, lookSteel, vec.V3(2, 2, 2))
	p.hold(s.Objects.add(Engine, slot, body))
}

// figure adds a figure that shows a clip from a time on.
func (p *plot) figure(f walk, clip int16, clock float32) ID {
	s := p.s
	slot, _ := s.take(Figure)
	s.figures[slot] = f
	clip = max(0, min(clip, int16(len(s.Crowd.Clips)-1)))
	s.Crowd.From[slot], s.Crowd.To[slot], s.Crowd.Blend[slot], s.Crowd.Clock[slot] = clip, clip, 0,
		clock
	return p.hold(s.Objects.add(Figure, slot, 0))
}

// standing adds a figure that stays where it is.
func (p *plot) standing(x, z, facing float32, clip int16, clock, speed float32) ID {
	id := p.figure(walk{}, clip, clock)
	slot := int(p.s.Objects.Slot[id])
	p.s.stand(slot, vec.Rigid(p.at(x, 0, z), vec.AxisAngle(vec.V3(0, 1, 0), facing)))
	p.s.Crowd.Speed[slot] = speed
	return id
}

// walker adds a figure that walks along a circle and pushes others with its body, hands and feet.
func (p *plot) walker(f walk) ID {
	s := p.s
	id := p.figure(f, anim.ClipWalk, p.r.Range(0, 1))
	slot := int(s.Objects.Slot[id])
	s.groups++
	s.Objects.Body[id] = int32(s.body(rigid.Body{
		Kind: rigid.Rails, Shape: rigid.Ball, Half: vec.V3(walkerRadius, 0, 0),
		Pos: s.walkerAt(slot), Friction: 0.4, Group: s.groups,
	}, lookNone, vec.Vec3{}))
	p.limbs(slot)
	return id
}

// on fixes an emitter to an object.
func (p *plot) on(id ID, e particle.Emitter, at vec.Vec3) { p.hold(p.s.emitter(e, id, -1, at)) }

// emitter adds one that stays where it is.
func (p *plot) emitter(e particle.Emitter, at vec.Vec3) {
	e.Pos = at
	p.hold(p.s.emitter(e, None, -1, vec.Vec3{}))
}
