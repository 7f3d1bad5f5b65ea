package particle

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// An Emitter says where and how particles are born. It may change between steps.
type Emitter struct {
	On      bool
	Pos     vec.Vec3
	Dir     vec.Vec3 // of length 1
	Carry   vec.Vec3 // velocity of whatever carries the emitter; particles get it too
	Spread  float32  // 0: all along Dir; 1: any direction
	Radius  float32  // of the sphere in which particles are born
	Speed   float32  // metres a second
	Life    float32  // seconds, of the longest; the shortest lives half of it
	Gravity float32  // metres a second squared, downward; negative rises
	Drag    float32  // share of the speed that is lost in a second
	Size    float32  // metres across at birth
	Grow    float32  // metres a second
	Color   vec.Vec3 // at birth, linear
	Fade    vec.Vec3 // at the end
	Glow    bool     // adds light to the picture instead of covering it
}
