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
}

var (
	fine = detail{
		particles: 96, cols: 15, rows: 11, gap: 0.11, meadow: 20, paving: 8, round: 20, hides: [2]int{160, 90},
		blocks: FPS, model: grown, column: func(r, h float32) *mesh.Mesh { return mesh.Column(r, h, 20) },
	}
	coarse = detail{
		particles: 4, cols: 3, rows: 3, gap: 0.6, meadow: 2, paving: 2, round: 4, hides: [2]int{32, 18},
		blocks: 50 * FPS, model: puppet, column: post,
	}
)

// grown grows the usual figure, once: it takes a while.
var grown = sync.OnceValue(func() Model {
	b := figure.Human(0.03)
	return Model{Skeleton: b.Skeleton, Mesh: b.Mesh, Clips: b.Clips, Colors: b.Colors}
})

// post returns a square column that stands on the ground.
func post(radius, height float32) *mesh.Mesh {
	m := &mesh.Mesh{}
	m.Add(mesh.Box(vec.V3(radius, height/2, radius)), vec.Translation(vec.V3(0, height/2, 0)), vec.V3(1, 1, 1))
	return m
}

// puppet returns a figure of three bones that all pull at one box: legs, trunk and an arm, which
// beckons in its only clip.
func puppet() Model {
	box := mesh.Box(vec.V3(0.2, 0.85, 0.12))
	m := &anim.Mesh{Pos: box.Pos, Normal: box.Nrm, Index: box.Idx, Joint: make([][4]uint16, len(box.Pos)), Weight: make([][4]float32, len(box.Pos))}
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
	return Model{Skeleton: sk, Mesh: m, Clips: []anim.Clip{beckon}}
}
