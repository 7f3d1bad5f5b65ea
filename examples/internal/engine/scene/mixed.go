package scene

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

var mixed = staging{
	name: "mixed", size: 1, dx: 24, dz: 30,
	low: vec.V3(-11, -0.5, -8), high: vec.V3(11, 5, 20), cols: 9, rows: 7, gap: 0.14,
	room:  func(d *detail) room { return works.room(d).plus(fair.room(d)) },
	build: func(p *plot) { p.pit(&works); p.beside(0, 13).square(&fair) },
	views: [][2]vec.Vec3{
		{{X: -9, Y: 3.6, Z: 21}, {X: -1, Y: 0.6, Z: 4}},
		{{X: 0, Y: 4.4, Z: 21}, {X: 1, Y: 0.5, Z: 4}},
		{{X: 8, Y: 3.4, Z: 20}, {X: 0, Y: 0.6, Z: 3}},
	},
}

// works and fair are the pit and the square of a mixed plot.
var (
	works = pit{heaps: []int{300, 40, 16, 10}, stacks: 14, loose: 45, flags: 13, dolls: 2}
	fair  = square{rows: 2, cols: 5, walkers: 1, dolls: 1, balls: 6}
)
