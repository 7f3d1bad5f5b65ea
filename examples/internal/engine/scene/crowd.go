package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/cloth"
	"github.com/heddle-go/heddle/examples/internal/engine/draw"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

var crowd = staging{
	name: "crowd", size: 1, dx: 16, dz: 13,
	low: vec.V3(-8, -0.5, -7), high: vec.V3(8, 4, 7), cols: 9, rows: 7, gap: 0.1,
	room:  func(d *detail) room { return festive.room(d) },
	build: func(p *plot) { p.square(&festive) },
	views: [][2]vec.Vec3{
		{{X: -6, Y: 2.4, Z: 7}, {X: 0, Y: 1.1, Z: -2}},
		{{X: 1, Y: 2.8, Z: 7.6}, {X: 0.5, Y: 1, Z: -2}},
		{{X: 6.5, Y: 2.2, Z: 6}, {X: -0.5, Y: 1.1, Z: -1.5}},
	},
}

// festive is a square on a holiday.
var festive = square{rows: 4, cols: 6, walkers: 2, dolls: 1, balls: 8, wall: true}

// A square is who is in one.
type square struct {
	rows, cols int // of dancers, each in a cloak
	walkers    int // who kick balls
	dolls      int // dragged by other walkers
	balls      int
	wall       bool // behind
}

func (q *square) people(d *detail) (rows, cols int) {
	if d.share > 1 {
		return 1, 2
	}
	return q.rows, q.cols
}

func (q *square) room(d *detail) room {
	rows, cols := q.people(d)
	return room{
		bodies: q.balls + 5*q.walkers + 16*q.dolls, figures: rows*cols + q.walkers + 2*q.dolls,
		emitters: 4, patches: rows*cols + q.dolls, stones: 2, voices: 1,
	}
}

// square builds one, 14 metres wide and 12 deep.
func (p *plot) square(q *square) {
	s, r, d := p.s, &p.r, p.d
	p.stone(mesh.Ground(15, 13, d.paving, d.paving-1), p.c, draw.Paving)
	if q.wall {
		p.block(p.at(0, 1.6, -6.3), vec.V3(7.2, 1.6, 0.25), draw.OldWall)
	}

	rows, cols := q.people(d)
	for k := range rows * cols {
		x, z := -6+12*(float32(k%cols)+0.5)/float32(cols), -5+1.5*float32(k/cols)
		clip := int16(anim.ClipDance)
		if k%5 == 4 {
			clip = anim.ClipIdle
		}
		who := p.standing(x+r.Range(-0.2, 0.2), z+r.Range(-0.2, 0.2), r.Range(-0.4, 0.4), clip,
			r.Range(0, 2), r.Range(0.9, 1.1))
		p.cloak(who)
	}
	for k := range d.few(q.balls) {
		p.hold(s.thing(rigid.Body{
			Shape: rigid.Ball, Half: vec.V3(r.Range(0.14, 0.2), 0, 0), Bounce: 0.5, Friction: 0.5,
			Density: 60,
			Pos:     p.at(-4+8*float32(k)/float32(q.balls), 0.4, 2.2+0.8*float32(k%3)),
		}, lookBall, ballTint(r)))
	}
	for k := range q.walkers {
		p.walker(walk{center: p.at(-2.5+5*float32(k), 0, 2.8), radius: 1.6, speed: 1.2,
			angle: r.Range(0, 6)})
	}
	for k := range q.dolls {
		p.dragged(p.walker(walk{center: p.at(0.2*float32(k), 0, 3), radius: 3.2 - float32(k),
			speed: 1.2, angle: r.Range(0, 6)}))
	}
	for _, x := range [2]float32{-6.6, 6.6} {
		p.emitter(fire(), p.at(x, 0.2, 1))
		p.emitter(smoke(), p.at(x, 1, 1))
	}
}

// cloak hangs a cloak on a figure's shoulders.
func (p *plot) cloak(who ID) {
	s := p.s
	slot := int(s.Objects.Slot[who])
	s.Crowd.Pose(slot)
	bone := min(anim.BoneChest, s.Crowd.Skeleton.Len()-1)
	wide := float32(s.Cloth.Cols-1) * s.Cloth.Gap
	local := vec.Translation(vec.V3(-wide/2, 0.08, -0.17))
	space := s.Crowd.Bone(slot, bone).Mul(&local)
	id := p.hold(s.patch(cloth.PinTop, space, ballTint(&p.r)))
	s.attach(id, who, bone, local)
}
