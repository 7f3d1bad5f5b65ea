package raster

import (
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Shadow is the picture of the scene as the sun sees it: how near to the sun the nearest
// surface is. It covers a box of the world; what is outside is lit. What never moves is drawn
// once, by Static.
type Shadow struct {
	g     geometry
	size  int
	texel float32 // metres
	base  []float32
	depth []float32
	tiles int // a row
}

// shadowTile is the side of a tile of the map.
const shadowTile = 64

// NewShadow returns a map of size by size texels that covers a box, all lit. sun has length 1
// and points towards the sun.
func NewShadow(size int, sun vec.Vec3, box vec.AABB) *Shadow {
	s := &Shadow{size: size, tiles: (size + shadowTile - 1) / shadowTile}
	s.base, s.depth = make([]float32, size*size), make([]float32, size*size)
	center := box.Center()
	up := vec.V3(0, 1, 0)
	if vec.Abs(sun.Y) > 0.99 {
		up = vec.V3(1, 0, 0)
	}
	look := vec.LookAt(center.Add(sun), center, up)
	b := box.Transform(&look)
	proj := vec.Orthographic(b.Min.X, b.Max.X, b.Min.Y, b.Max.Y, -b.Max.Z, -b.Min.Z)
	s.texel = max(b.Max.X-b.Min.X, b.Max.Y-b.Min.Y) / float32(size)
	s.g = geometry{w: size, h: size, ortho: true, m: proj.Mul(&look)}
	return s
}

// Static draws what never moves, into every picture from now on. It is for set-up.
func (s *Shadow) Static(items []Item) {
	s.Begin(items)
	s.Setup(0, len(items))
	s.Draw(0, s.Tiles())
	copy(s.base, s.depth)
}

// Reserve makes room for so many items, vertices and indices that move.
func (s *Shadow) Reserve(items, vertices, indices int) { s.g.reserve(items, vertices, indices) }

// Begin takes what moves and casts a shadow, whether the view shows it or not.
func (s *Shadow) Begin(items []Item) { s.g.begin(items) }

// Setup prepares the items lo to hi-1.
func (s *Shadow) Setup(lo, hi int) { s.g.setup(lo, hi) }

// Tiles returns how many tiles Draw ranges over.
func (s *Shadow) Tiles() int { return s.tiles * s.tiles }

// Draw draws the tiles lo to hi-1.
func (s *Shadow) Draw(lo, hi int) {
	for t := lo; t < hi; t++ {
		x0, y0 := t%s.tiles*shadowTile, t/s.tiles*shadowTile
		x1, y1 := min(x0+shadowTile, s.size), min(y0+shadowTile, s.size)
		for y := y0; y < y1; y++ {
			copy(s.depth[y*s.size+x0:y*s.size+x1], s.base[y*s.size+x0:y*s.size+x1])
		}
		s.g.draw(x0, y0, x1-1, y1-1, s.depth, nil)
	}
}

// lit returns how much of the sun reaches a surface, 0 to 1: the mean over 4 by 4 texels with
// weights that run smoothly with the place.
func (s *Shadow) lit(p, n vec.Vec3, sunward float32) float32 {
	// The point is moved off its surface, more so where the light grazes it.
	slope := vec.Sqrt(max(0, 1-sunward*sunward))
	p = p.AddScaled(n, s.texel*(0.6+1.8*slope))
	c := s.g.m.Project(p)
	q := 0.5 - 0.5*c.Z + 0.0004
	x := (c.X+1)*0.5*float32(s.size) - 0.5
	y := (1-c.Y)*0.5*float32(s.size) - 0.5
	ix, fx := floor(x)
	iy, fy := floor(y)
	if ix < 1 || iy < 1 || int(ix) > s.size-3 || int(iy) > s.size-3 || q > 1 || !(q > 0) {
		return 1
	}
	var sum float32
	wx := [4]float32{1 - fx, 1, 1, fx}
	wy := [4]float32{1 - fy, 1, 1, fy}
	for j := range 4 {
		row := s.depth[(int(iy)+j-1)*s.size+int(ix)-1:]
		row = row[:4]
		var r float32
		for i, d := range row {
			if q >= d {
				r += wx[i]
			}
		}
		sum += r * wy[j]
	}
	return sum * (1.0 / 9)
}
