package raster

import (
	"image"
	"math"

	"github.com/heddle-go/heddle/examples/internal/engine/order"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// Options say how a picture is drawn.
type Options struct {
	Width, Height int
	Samples       int  // a side of a pixel: 1, or 2 for smooth edges
	Occlusion     bool // ambient light is less in corners
}

// A Renderer draws pictures of one size. The package comment has the order of its stages. A
// renderer draws one picture at a time.
type Renderer struct {
	opt    Options
	g      geometry // in samples
	view   View
	light  Light
	haze   float32 // density of the fog at the eye
	shadow *Shadow
	tiles  int // a row
	depth  []float32
	ids    []uint32
	open   []float32  // a pixel: how much of the sky is open above it
	color  []vec.Vec3 // a pixel, linear
	img    *image.RGBA

	splats []Splat
	placed []placed
	keys   []uint64
	spare  []uint64
	seen   int // splats on the screen
}

// tile is the side of a tile in pixels.
const tile = 32

// New returns a renderer. It panics if the size is not positive or too large, or Samples is
// neither 1 nor 2.
func New(opt Options) *Renderer {
	if opt.Width <= 0 || opt.Height <= 0 || opt.Samples < 1 || opt.Samples > 2 ||
		opt.Width*opt.Samples > 1<<14 || opt.Height*opt.Samples > 1<<14 {
		panic("raster: picture size or samples out of range")
	}
	n := opt.Width * opt.Height
	r := &Renderer{
		opt: opt, tiles: (opt.Width + tile - 1) / tile,
		depth: make([]float32, n*opt.Samples*opt.Samples),
		ids:   make([]uint32, n*opt.Samples*opt.Samples),
		color: make([]vec.Vec3, n),
		img:   image.NewRGBA(image.Rect(0, 0, opt.Width, opt.Height)),
	}
	if opt.Occlusion {
		r.open = make([]float32, n)
	}
	r.g.w, r.g.h = opt.Width*opt.Samples, opt.Height*opt.Samples
	return r
}

// Reserve makes room for so many items, vertices, indices and splats in one picture.
func (r *Renderer) Reserve(items, vertices, indices, splats int) {
	r.g.reserve(items, vertices, indices)
	r.growSplats(splats)
}

func (r *Renderer) growSplats(n int) {
	r.placed = grow(r.placed, n)
	r.keys = grow(r.keys, n)
	r.spare = grow(r.spare, n)
}

// Begin starts a picture. The items and splats must not change until it is complete. The
// shadow map may be nil: then everything is lit.
func (r *Renderer) Begin(v *View, l *Light, s *Shadow, items []Item, splats []Splat) {
	r.view, r.light, r.shadow, r.splats = *v, *l, s, splats
	r.haze = l.haze(v.Eye.Y)
	r.g.m, r.g.near = v.ViewProj, v.Near
	r.g.begin(items)
	r.growSplats(len(splats))
}

// Setup prepares the items lo to hi-1.
func (r *Renderer) Setup(lo, hi int) { r.g.setup(lo, hi) }

// Tiles returns how many tiles Raster, Occlude and Shade range over.
func (r *Renderer) Tiles() int { return r.tiles * ((r.opt.Height + tile - 1) / tile) }

// tile returns the pixels of a tile: x0 and y0 inclusive, x1 and y1 not.
func (r *Renderer) tile(t int) (x0, y0, x1, y1 int) {
	x0, y0 = t%r.tiles*tile, t/r.tiles*tile
	return x0, y0, min(x0+tile, r.opt.Width), min(y0+tile, r.opt.Height)
}

// Raster finds what is seen at each sample of the tiles lo to hi-1.
func (r *Renderer) Raster(lo, hi int) {
	s := r.opt.Samples
	for t := lo; t < hi; t++ {
		x0, y0, x1, y1 := r.tile(t)
		x0, y0, x1, y1 = x0*s, y0*s, x1*s, y1*s
		for y := y0; y < y1; y++ {
			clear(r.depth[y*r.g.w+x0 : y*r.g.w+x1])
			clear(r.ids[y*r.g.w+x0 : y*r.g.w+x1])
		}
		r.g.draw(x0, y0, x1-1, y1-1, r.depth, r.ids)
	}
}

// Splats places and lights the splats lo to hi-1.
func (r *Renderer) Splats(lo, hi int) {
	w, h := float32(r.opt.Width), float32(r.opt.Height)
	v := &r.view
	focal := w / (2 * v.TanX)
	sun := vec.V3(v.Right.Dot(r.light.Sun), v.Up.Dot(r.light.Sun), -v.Forward.Dot(r.light.Sun))
	for i := lo; i < hi; i++ {
		r.keys[i] = order.None
		s, p := &r.splats[i], &r.placed[i]
		to := s.Pos.Sub(v.Eye)
		z := to.Dot(v.Forward)
		// one that hangs in the eye would cover everything
		if s.Radius <= 0 || z < max(v.Near, 2*s.Radius) {
			continue
		}
		p.d = 1 / z
		p.x = w/2 + focal*p.d*to.Dot(v.Right)
		p.y = h/2 - focal*p.d*to.Dot(v.Up)
		p.r, p.radius = max(focal*p.d*s.Radius, 0.7), s.Radius
		if !(p.x+p.r > 0 && p.x-p.r < w && p.y+p.r > 0 && p.y-p.r < h) {
			continue
		}
		p.minX, p.maxX = int16(max(p.x-p.r, 0)), int16(min(p.x+p.r, w-1))
		p.minY, p.maxY = int16(max(p.y-p.r, 0)), int16(min(p.y+p.r, h-1))
		dist := to.Len()
		d := to.Scale(1 / dist)
		through, fog := r.light.air(r.haze, d, dist)
		lit := float32(1)
		if r.shadow != nil {
			lit = r.shadow.lit(s.Pos, r.light.Sun, 1)
		}
		// Light from behind shines through thin smoke, most so towards the eye.
		back := max(d.Dot(r.light.Sun), 0)
		p.sun = s.Color.Mul(r.light.SunColor).Scale(lit * through * (0.32 + 0.4*back*back*back))
		p.rest = s.Color.Mul(r.light.ambient(vec.V3(0, 0.6, 0))).Scale(0.8*through).
			AddScaled(fog, (1-through)*min(1, s.Alpha*1e3)).AddScaled(s.Emit, through)
		p.alpha, p.dir = s.Alpha, sun
		r.keys[i] = order.Key(p.d, i)
	}
}

// Sort puts the splats in order from the farthest to the nearest. It is one sequential step.
func (r *Renderer) Sort() {
	n := 0
	for _, k := range r.keys[:len(r.splats)] {
		if k != order.None {
			r.keys[n] = k
			n++
		}
	}
	r.seen = n
	order.Sort(r.keys[:n], r.spare)
}

// Image returns the picture. The next one is drawn into the same pixels.
func (r *Renderer) Image() *image.RGBA { return r.img }

// Draw runs all stages after Begin, one after the other.
func (r *Renderer) Draw() {
	r.Setup(0, len(r.g.items))
	r.Splats(0, len(r.splats))
	r.Sort()
	r.Raster(0, r.Tiles())
	r.Occlude(0, r.Tiles())
	r.Shade(0, r.Tiles())
}

// Hash returns a number that tells two pictures apart: it is over the pixels.
func (r *Renderer) Hash() uint64 {
	h := vec.Hash(0)
	for i := 0; i+3 < len(r.img.Pix); i += 4 {
		p := r.img.Pix[i : i+4 : i+4]
		h = h.Word(uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24)
	}
	return uint64(h)
}

// encode is the curve from linear light to the bytes of a picture.
var encode = func() (table [4096]uint8) {
	for i := range table {
		x := float64(i) / float64(len(table)-1)
		if x <= 0.0031308 {
			x *= 12.92
		} else {
			x = 1.055*math.Pow(x, 1/2.4) - 0.055
		}
		table[i] = uint8(math.Round(x * 255))
	}
	return table
}()
