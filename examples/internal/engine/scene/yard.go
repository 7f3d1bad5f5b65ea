package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/audio"
	"github.com/heddle-go/heddle/examples/internal/engine/cloth"
	"github.com/heddle-go/heddle/examples/internal/engine/draw"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/rigid"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

var courtyards = staging{
	name: "courtyards", size: 1, dx: 18, dz: 15, near: true,
	low: vec.V3(-9, -0.5, -8), high: vec.V3(9, 5.5, 8),
	room: func(d *detail) room { return yardRoom(d) }, build: yard,
	views: [][2]vec.Vec3{
		{{X: -7.4, Y: 2.1, Z: 7.2}, {X: 1, Y: 1.3, Z: -2.2}},
		{{X: -1.5, Y: 1.8, Z: 6.8}, {X: 0.6, Y: 1.2, Z: -1.5}},
		{{X: 5.5, Y: 2.6, Z: 7.6}, {X: 0, Y: 1.1, Z: -1}},
	},
}

func yardRoom(*detail) room {
	return room{bodies: 64, figures: 6, engines: 3, emitters: 5, patches: 2, voices: 4, stones: 16}
}

// yard builds a courtyard: a few of everything.
func yard(p *plot) {
	s, r, at, hold := p.s, &p.r, p.at, p.hold

	// What stands.
	p.stone(mesh.Ground(16, 13, p.d.paving, p.d.paving-1), p.c, draw.Paving)
	column := p.d.column(0.32, 4.2)
	for i := range 5 {
		x := -7 + 3.5*float32(i)
		p.stone(column, at(x, 0, -5.2), draw.Marble)
		p.pillar(at(x, 2, -5.2), vec.V3(0.4, 2, 0.4))
	}
	p.stone(mesh.Box(vec.V3(7.6, 0.25, 0.45)), at(0, 4.45, -5.2), draw.Marble)
	p.block(at(0, 2.3, -6.9), vec.V3(8, 2.3, 0.3), draw.OldWall)
	p.block(at(0, 0.2, 6.3), vec.V3(8, 0.2, 0.2), draw.Marble)
	p.block(at(-7.8, 0.2, 0), vec.V3(0.2, 0.2, 6.5), draw.Marble)
	p.block(at(7.8, 0.2, 0), vec.V3(0.2, 0.2, 6.5), draw.Marble)

	// What forces move: a stack, a pyramid, balls, a sled.
	var top ID
	for i := range 5 {
		top = p.crate(5.4, 0.35+0.7*float32(i), -3, 0.35, 0.08*float32(i)+0.2)
	}
	p.crate(2.9, 0.35, -3.4, 0.35, 0)
	p.crate(3.7, 0.35, -3.4, 0.35, 0)
	p.crate(3.3, 1.05, -3.4, 0.35, 0)
	var balls [3]ID
	for i := range balls {
		c := at(2.2*float32(i)-1.5, 0.6+0.5*float32(i), 2.6-0.8*float32(i))
		balls[i] = hold(s.thing(rigid.Body{Shape: rigid.Ball,
			Half: vec.V3(0.3+0.04*float32(i), 0, 0), Pos: c, Bounce: 0.5, Friction: 0.5,
			Density: 150}, lookBall, ballTint(r)))
	}
	sled := hold(s.thing(rigid.Body{Shape: rigid.Box, Half: sledHalf, Pos: at(-2.6, 0.13, -2),
		Friction: 0.25, Density: 300}, lookSled, vec.V3(0.7, 0.6, 0.55)))

	// Inputs: two pushers for the sled, a mill for the balls, somebody who walks in between, and
	// drags a doll.
	push := func(x, phase float32) {
		p.engine(at(x, 0.4, -2), vec.V3(0.15, 0.4, 0.7),
			engine{swing: vec.V3(0.95, 0, 0), rate: 1.3, phase: phase})
	}
	push(-5, r.Range(0, 1))
	push(-0.2, r.Range(2, 4))
	p.engine(at(0.2, 0.35, 1.4), vec.V3(1.3, 0.22, 0.1), engine{turn: 1.1})
	p.dragged(p.walker(walk{center: at(3.4, 0, 1.6), radius: 2.3, speed: 1.35,
		angle: r.Range(0, 6)}))

	// Dependents: who rides the sled with a torch and a flag, what is heard and seen of bodies.
	rider := p.figure(walk{}, anim.ClipRide, r.Range(0, 1))
	s.attach(rider, sled, -1,
		vec.Rigid(vec.V3(0.1, 0.13, 0), vec.AxisAngle(vec.V3(0, 1, 0), vec.Pi/2)))
	torch := fire()
	torch.Radius, torch.Size, torch.Grow, torch.Life = 0.05, 0.13, -0.1, 0.6
	hold(s.emitter(torch, rider, min(anim.BoneHandL, s.Crowd.Skeleton.Len()-1),
		vec.V3(0.1, 0.05, 0)))
	p.on(balls[0], sparks(), vec.Vec3{})
	flag := hold(s.patch(cloth.PinLeft, vec.Translation(at(-3.45, 0.13+poleHeight, -2)),
		vec.V3(0.75, 0.12, 0.08)))
	s.attach(flag, sled, -1, vec.Translation(vec.V3(-0.85, poleHeight, 0)))
	hold(s.voice(audio.Note{Sound: audio.Rumble, Pitch: 200}, 0.5, balls[0], vec.Vec3{}))
	hold(s.voice(audio.Note{Sound: audio.Knock, Pitch: r.Range(300, 500)}, 0.8, top, vec.Vec3{}))

	// Unrelated: dancers by a fire, a curtain, the fire's sound and a hum.
	for _, a := range [2]float32{0.4, 2.2} {
		sin, cos := vec.Sincos(a)
		p.standing(-4.9+1.4*cos, 2.9-1.4*sin, a-vec.Pi/2, anim.ClipDance, r.Range(0, 2),
			r.Range(0.9, 1.1))
	}
	p.standing(0.9, -4.1, -0.3, anim.ClipIdle, r.Range(0, 4), 1)
	p.emitter(fire(), at(-4.9, 0.15, 2.9))
	p.emitter(smoke(), at(-4.9, 0.9, 2.9))
	dust := sparks()
	dust.Size = 0.02
	p.emitter(dust, at(-4.9, 0.3, 2.9))
	hold(s.patch(cloth.PinTop, vec.Translation(at(-2.5, 4, -5.2)), vec.V3(0.12, 0.25, 0.5)))
	hold(s.voice(audio.Note{Sound: audio.Rumble, Pitch: 700}, 0.25, None, at(-4.9, 0.3, 2.9)))
	hold(s.voice(audio.Note{Sound: audio.Hum, Pitch: r.Range(90, 140)}, 0.15, None,
		at(0.2, 0.35, 1.4)))
}
