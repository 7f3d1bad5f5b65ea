package raster

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A Material is how a surface looks. Colours are linear.
type Material struct {
	Pattern   Pattern
	Scale     float32  // size of the pattern's unit in metres; 0 is 1
	Color     vec.Vec3 // main colour
	Second    vec.Vec3 // of joints, frames and veins
	Specular  float32  // strength of the highlight
	Gloss     uint8    // its sharpness: the exponent is 1 << Gloss
	Through   float32  // share of the sunlight on the other side that shines through
	TwoSided  bool     // both sides are drawn
	ModelCoat bool     // the pattern keeps to the model's space, not the world
}
