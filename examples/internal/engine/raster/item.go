package raster

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// An Item is one mesh to draw, in one place, of one material. The slices are read only, and
// must not change until the picture is complete.
type Item struct {
	Pos, Nrm []vec.Vec3 // in the model's space
	Col      []vec.Vec3 // linear tint a vertex, or nil
	Idx      []uint32   // three a triangle, counter-clockwise seen from the front
	Model    vec.Mat4   // model to world: scale along the model's axes, rotation, translation
	Tint     vec.Vec3   // multiplies the material's colours
	Material Material
}
