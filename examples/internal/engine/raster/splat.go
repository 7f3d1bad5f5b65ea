package raster

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A Splat is a soft round speck of smoke, dust or fire.
type Splat struct {
	Pos    vec.Vec3
	Radius float32
	Color  vec.Vec3 // of what it reflects
	Emit   vec.Vec3 // light of its own
	Alpha  float32  // how much of what is behind it covers in its middle; 0 only adds light
}

// placed is a splat on the screen.
type placed struct {
	x, y, r                float32 // in pixels of the picture
	d                      float32 // 1 / distance along the view
	radius                 float32 // in metres
	minX, minY, maxX, maxY int16   // pixels, inclusive
	alpha                  float32
	sun, rest              vec.Vec3 // light from the sun on its bright side, and all other
	dir                    vec.Vec3 // towards the sun, in the view's axes
}
