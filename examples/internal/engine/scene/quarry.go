package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/audio"
	"github.com/heddle-go/heddle/examples/internal/engine/cloth"
	"github.com/heddle-go/heddle/examples/internal/engine/draw"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

var quarry = staging{
	name: "quarry", size: 5, dx: 24, dz: 17,
	low: vec.V3(-11, -0.5, -8), high: vec.V3(11, 5, 8), cols: 9, rows: 7, gap: 0.16,
	room:  func(d *detail) room { return open.room(d) },
	build: func(p *plot) { p.pit(&open) },
	views: [][2]vec.Vec3{
		{{X: -9, Y: 4, Z: 8.5}, {X: -1, Y: 0.6, Z: -2}},
		{{X: 0, Y: 5, Z: 9}, {X: 1, Y: 0.5, Z: -2}},
		{{X: 8, Y: 3.4, Z: 8}, {X: 0, Y: 0.6, Z: -1}},
	},
}

// open is a pit of a quarry.
var open = pit{heaps: []int{170, 50, 20, 10}, stacks: 10, loose: 60, flags: 1, dolls: 1}

// A pit is what lies about in one: heaps of rubble between walls, each an island, stacks of crates,
// and stones that touch nothing.
type pit struct {
	heaps  []int // stones of each, the first one stirred
	stacks int   // of two to five crates
	loose  int   // stones and crates
	flags  int   // on stacks
	dolls  int   // dragged about
}

func (t *pit) room(d *detail) room {
	r := room{
		bodies: 5*len(t.heaps) + 5*t.stacks + t.loose + 17*t.dolls, figures: 2 * t.dolls,
		engines:  len(t.heaps),
		emitters: 2*len(t.heaps) + 2, patches: t.flags, voices: len(t.heaps) + 1,
		stones: 4*len(t.heaps) + 2,
	}
	for _, n := range t.heaps {
		r.bodies += d.few(n)
	}
	return r
}

// pit builds one, 20 metres wide and 14 deep.
func (p *plot) pit(t *pit) {
	s, r, d := p.s, &p.r, p.d
	p.stone(mesh.Ground(21, 15, d.paving, d.paving-1), p.c, draw.Paving)
	p.block(p.at(0, 2, -7.4), vec.V3(10.4, 2, 0.3), draw.Cliff)

	for k, n := range t.heaps {
		p.heap(-10+20*(float32(k)+0.5)/float32(len(t.heaps)), -4.6, d.few(n), k)
	}
	banners := t.flags
	for k := range d.few(t.stacks) {
		x, z := -9+18*(float32(k)+0.5)/float32(d.few(t.stacks)), r.Range(0.3, 1.6)
		half := r.Range(0.24, 0.36)
		var top ID
		for i := range 2 + r.Intn(4) {
			top = p.crate(x+r.Range(-0.04, 0.04), half*float32(1+2*i), z, half, r.Range(0, 0.4))
		}
		if banners > 0 {
			banners--
			hold := vec.Translation(vec.V3(0, half+1.2, 0))
			flag := p.hold(s.patch(cloth.PinLeft, vec.Translation(p.at(x, 3, z)), ballTint(r)))
			s.attach(flag, top, -1, hold)
		}
	}
	for k := range d.few(t.loose) {
		x, z := -9.5+19*float32(k%15)/14+r.Range(-0.3, 0.3), 2.6+0.75*float32(k/15)+r.Range(-0.1,
			0.1)
		if k%3 == 0 {
			p.rock(x, 0.3, z, r.Range(0.14, 0.26))
		} else {
			half := r.Range(0.12, 0.24)
			p.crate(x, half, z, half, r.Range(0, 1.5))
		}
	}
	for k := range t.dolls {
		p.dragged(p.walker(walk{
			center: p.at(-5+10*float32(k), 0, 4.5), radius: 2.4 + 0.2*float32(k), speed: 1.3,
			angle: r.Range(0, 6),
		}))
	}
	p.emitter(smoke(), p.at(6, 0.3, 5))
	p.hold(s.voice(audio.Note{Sound: audio.Hum, Pitch: r.Range(60, 90)}, 0.1, None, p.at(0, 1, -4)))
}

// heap throws stones between four walls, where a beam that turns stirs them.
func (p *plot) heap(x, z float32, n, which int) {
	s, r := p.s, &p.r
	const gap = 0.43 // from one stone to the next, before they settle
	across := 3
	for across*across*4 < n {
		across++
	}
	wide := gap * float32(across) / 2
	const high = 0.5
	for _, w := range [...][2]vec.Vec3{
		{{X: x - wide - 0.15, Y: high, Z: z}, {X: 0.15, Y: high, Z: wide + 0.3}},
		{{X: x + wide + 0.15, Y: high, Z: z}, {X: 0.15, Y: high, Z: wide + 0.3}},
		{{X: x, Y: high, Z: z - wide - 0.15}, {X: wide, Y: high, Z: 0.15}},
		{{X: x, Y: high, Z: z + wide + 0.15}, {X: wide, Y: high, Z: 0.15}},
	} {
		p.block(p.at(w[0].X, w[0].Y, w[0].Z), w[1], draw.Cliff)
	}
	p.engine(p.at(x, 0.2, z), vec.V3(wide*0.8, 0.12, 0.08), engine{turn: r.Range(0.5, 0.8)})
	var top ID
	for k := range n {
		place := func(i int) float32 { return (float32(i)+0.5)*gap - wide + r.Range(-0.01, 0.01) }
		sx, sy, sz := x+place(k%across), 0.55+gap*float32(k/(across*across)),
			z+place(k/across%across)
		if k%4 == 3 {
			top = p.crate(sx, sy, sz, r.Range(0.15, 0.18), r.Range(0, 0.3))
		} else {
			top = p.rock(sx, sy, sz, r.Range(0.18, 0.21))
		}
	}
	dust := sparks()
	dust.Color, dust.Fade, dust.Glow = vec.V3(0.5, 0.46, 0.4), vec.V3(0.4, 0.38, 0.35), false
	p.on(top, dust, vec.Vec3{})
	if which == 0 {
		p.hold(s.voice(audio.Note{Sound: audio.Rumble, Pitch: 140}, 0.4, top, vec.Vec3{}))
	} else {
		p.hold(s.voice(audio.Note{Sound: audio.Knock, Pitch: r.Range(250, 500)}, 0.5, top,
			vec.Vec3{}))
	}
}
