package scene

import (
	"sync"

	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/figure"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A detail says how finely a scene is made.
type detail struct {
	particles  int // of an emitter
	cols, rows int // of a patch
	gap        float32
	meadow     int // squares along a side of the meadow
	paving     int // and along the longer one of a courtyard
	round      int // corners of a ball
	column     func(radius, height float32) *mesh.Mesh
	hides      [2]int // texels of what occluders are drawn to
	blocks     int    // of sound that a second of it has; a frame mixes one
	model      func() Model
	share      int // of the things of a heap, say, one of so many is there
}

// few returns how many of n things there are: one at least.
func (d *detail) few(n int) int { return max(n/d.share, 1) }

var (
	fine = detail{
		particles: 96, cols: 15, rows: 11, gap: 0.11, meadow: 20, paving: 8, round: 20,
		hides:  [2]int{160, 90},
		blocks: FPS, share: 1, model: grown, column: func(r, h float32) *mesh.Mesh {
			return mesh.Column(r, h, 20)
		},
	}
	coarse = detail{
		particles: 4, cols: 3, rows: 3, gap: 0.6, meadow: 2, paving: 2, round: 4,
		hides:  [2]int{32, 18},
		blocks: 50 * FPS, share: 12, model: puppet, column: post,
	}
)

// grown grows the usual figure, once: it takes a while. lighter grows one for a crowd.
var grown, lighter = sync.OnceValue(func() Model { return grow(0.03) }),
	sync.OnceValue(func() Model { return grow(0.065) })

func grow(cell float32) Model {
	b := figure.Human(cell)
	return Model{
		Skeleton: b.Skeleton, Mesh: b.Mesh, Clips: b.Clips, Colors: b.Colors, Doll: human(),
		Limbs: []int{anim.BoneHandR, anim.BoneHandL, anim.BoneFootL, anim.BoneFootR},
	}
}

// human returns how a grown figure is limp.
func human() *Doll {
	d := &Doll{Grip: vec.V3(-0.78, 1.45, 0), Parts: []DollPart{
		{Bone: 0, Center: vec.V3(0, 0.98, 0), Half: vec.V3(0.14, 0.12, 0.09)},
		{Bone: 3, Center: vec.V3(0, 1.33, 0), Half: vec.V3(0.16, 0.17, 0.1),
			Joint: vec.V3(0, 1.13, 0), Hertz: 2},
		{Bone: anim.BoneHead - 1, Center: vec.V3(0, 1.65, 0.01), Half: vec.V3(0.08, 0.12, 0.09),
			On: 1, Joint: vec.V3(0, 1.5, 0), Hertz: 2},
	}}
	add := func(bone int, center, half vec.Vec3, on int, joint vec.Vec3, hertz float32) int {
		d.Parts = append(d.Parts, DollPart{bone, center, half, on, joint, hertz})
		return len(d.Parts) - 1
	}
	for side, x := range [2]float32{1, -1} {
		hand := [2]int{anim.BoneHandL, anim.BoneHandR}[side]
		upper := add(hand-5, vec.V3(0.32*x, 1.45, 0), vec.V3(0.12, 0.05, 0.05), 1,
			vec.V3(0.18*x, 1.45, 0), 0.5)
		d.Hand = add(hand-3, vec.V3(0.63*x, 1.45, 0), vec.V3(0.15, 0.04, 0.04), upper,
			vec.V3(0.46*x, 1.45, 0), 0.8)
	}
	for side, x := range [2]float32{1, -1} {
		foot := [2]int{anim.BoneFootL, anim.BoneFootR}[side]
		thigh := add(foot-2, vec.V3(0.1*x, 0.71, 0), vec.V3(0.07, 0.18, 0.07), 0,
			vec.V3(0.095*x, 0.9, 0), 0.8)
		add(foot-1, vec.V3(0.1*x, 0.27, 0), vec.V3(0.05, 0.2, 0.05), thigh, vec.V3(0.1*x, 0.5, 0),
			0.8)
	}
	return d
}

// post returns a square column that stands on the ground.
func post(radius, height float32) *mesh.Mesh {
	m := &mesh.Mesh{}
	m.Add(mesh.Box(vec.V3(radius, height/2, radius)), vec.Translation(vec.V3(0, height/2, 0)),
		vec.V3(1, 1, 1))
	return m
}

// puppet returns a figure of three bones that all pull at one box: legs, trunk and an arm, which
// beckons in its only clip.
func puppet() Model {
	box := mesh.Box(vec.V3(0.2, 0.85, 0.12))
	m := &anim.Mesh{Pos: box.Pos, Normal: box.Nrm, Index: box.Idx,
		Joint: make([][4]uint16, len(box.Pos)), Weight: make([][4]float32, len(box.Pos))}
	for i := range m.Pos {
		m.Pos[i].Y += 0.85 // it stands on the ground
		m.Weight[i] = [4]float32{1}
		if m.Pos[i].Y > 0.85 {
			m.Joint[i], m.Weight[i] = [4]uint16{1, 2}, [4]float32{0.5, 0.5}
		}
	}
	sk := &anim.Skeleton{Parent: []int16{-1, 0, 1}, T: []vec.Vec3{{}, {Y: 0.9}, {X: 0.2, Y: 0.5}}}
	beckon := anim.Clip{Name: "beckon", Rate: 4, Samples: 4}
	at := vec.Vec3{}
	for _, t := range sk.T {
		at = at.Add(t)
		sk.R, sk.Bind = append(sk.R, vec.QuatIdent), append(sk.Bind, vec.Translation(at.Neg()))
	}
	for k := range beckon.Samples {
		turn := 0.3 * vec.Sin(vec.Pi/2*float32(k))
		for range sk.Parent {
			beckon.R = append(beckon.R, vec.AxisAngle(vec.V3(0, 0.6, 0.8), turn))
		}
	}
	return Model{
		Skeleton: sk, Mesh: m, Clips: []anim.Clip{beckon}, Limbs: []int{2},
		Doll: &Doll{Hand: 1, Grip: vec.V3(0.2, 1.4, 0), Parts: []DollPart{
			{Bone: 0, Center: vec.V3(0, 0.45, 0), Half: vec.V3(0.15, 0.4, 0.1)},
			{Bone: 1, Center: vec.V3(0, 1.3, 0), Half: vec.V3(0.15, 0.38, 0.1),
				Joint: vec.V3(0, 0.88, 0), Hertz: 1},
		}},
	}
}
