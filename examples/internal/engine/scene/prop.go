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
