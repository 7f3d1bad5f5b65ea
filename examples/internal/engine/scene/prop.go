package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Prop is what a model from a file looks like, and how large the box is that stands for it among
// the bodies. It does not change, so that many objects and pictures share one.
type Prop struct {
	Mesh *mesh.Mesh // about the origin, in metres
	Half vec.Vec3
}

// NewProp makes a prop of a mesh, which it changes: the middle comes to the origin, and what is too
// large for a prop is made smaller.
func NewProp(m *mesh.Mesh) *Prop { return &Prop{m, m.Room(leastHalf, mostHalf)} }

// Bytes returns how much memory a prop takes.
func (p *Prop) Bytes() int64 { return p.Mesh.Bytes() }

// Half lengths of a prop's box, in metres.
const (
	leastHalf = 0.05
	mostHalf  = 0.75
)

// placeholder stands for what cannot be read.
var placeholder = NewProp(mesh.Box(vec.V3(0.3, 0.3, 0.3)))

// A Library is whoever has props for the sites of a scene. All calls but Take may come from any
// thread, those of one site in order.
type Library interface {
	// Ask asks for a prop, by its number, from this frame on. Near is how far the site is from the
	// camera.
	Ask(site, prop int, near float32)
	// Rank says anew how far the site is.
	Rank(site int, near float32)
	// Drop gives back what was asked for, whether it has come or not.
	Drop(site int)
	// Take returns what was asked for at least LoadTime frames ago, or nil if it cannot be had. It
	// is called between frames.
	Take(site int) *Prop
}
