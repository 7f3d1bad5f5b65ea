package scene

import (
	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Model is what all figures of a scene look like.
type Model struct {
	Skeleton *anim.Skeleton
	Mesh     *anim.Mesh
	// in the order of anim's; where there are fewer, the last stands for the rest
	Clips []anim.Clip
	// makes it stand on the origin, look along +Z and be of a size; zero: it does
	Fit vec.Mat4
	// Colors returns the colours of the vertices for the look of a number; nil: those of the
	// mesh.
	Colors func(look uint64) []vec.Vec3
	// Doll says how a figure is limp; nil: none is.
	Doll *Doll
	// Limbs are the bones with which a figure pushes bodies, the first one its hand.
	Limbs []int
}
