package raster

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// taps are places in a disc, along a spiral.
var taps = func() (t [10]vec.Vec2) {
	for i := range t {
		sin, cos := vec.Sincos(float32(i) * 2.39996)
		t[i] = vec.Vec2{X: cos, Y: sin}.Scale(vec.Sqrt((float32(i) + 0.7) / float32(len(t))))
	}
	return t
}()

// turns are the directions by which the taps are turned in a block of 4 by 4 pixels.
var turns = func() (t [16]vec.Vec2) {
	for i := range t {
		order := [16]int{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}
		sin, cos := vec.Sincos(float32(order[i]) * 2 * vec.Pi / 16)
		t[i] = vec.Vec2{X: cos, Y: sin}
	}
	return t
}()

// Occlude finds how much of the sky is open above the pixels of the tiles lo to hi-1, if that
// is asked for.
func (r *Renderer) Occlude(lo, hi int) {
	if !r.opt.Occlusion {
		return
	}
	half := 0.5 / float32(r.opt.Samples)
	for t := lo; t < hi; t++ {
		x0, y0, x1, y1 := r.tile(t)
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				open := float32(1)
				if id := r.ids[y*r.opt.Samples*r.g.w+x*r.opt.Samples]; id != 0 {
					fx, fy := float32(x)+half, float32(y)+half
					h := r.hit(id, fx, fy, r.view.ray(fx, fy, float32(r.opt.Width),
						float32(r.opt.Height)))
					open = r.openness(x, y, h.p, h.n, h.w)
				}
				r.open[y*r.opt.Width+x] = open
			}
		}
	}
}

// openAround returns the mean openness of the pixels about x, y that are about as far as w:
// over the 4 by 4 pixels within which the taps turn once.
func (r *Renderer) openAround(x, y int, w float32) float32 {
	s := r.opt.Samples
	var sum, n float32
	for j := max(y-1, 0); j <= min(y+2, r.opt.Height-1); j++ {
		for i := max(x-1, 0); i <= min(x+2, r.opt.Width-1); i++ {
			// 1 at the same distance, 0 where it is a tenth of it farther or nearer.
			k := 1 - 10*vec.Abs(w*r.depth[j*s*r.g.w+i*s]-1)
			if k > 0 {
				sum += k * r.open[j*r.opt.Width+i]
				n += k
			}
		}
	}
	if n == 0 {
		return 1
	}
	return sum / n
}

// openness returns how much of the sky a point sees, judged by the depths around it.
func (r *Renderer) openness(x, y int, p, n vec.Vec3, w float32) float32 {
	// McGuire, Mara and Luebke, "Scalable Ambient Obscurance", HPG 2012.
	const radius = 0.55
	v := &r.view
	reach := min(radius*float32(r.opt.Width)/(2*v.TanX*w), 0.15*float32(r.opt.Height))
	if reach < 1.5 {
		return 1
	}
	turn := turns[y&3<<2|x&3]
	s := r.opt.Samples
	var sum float32
	for _, t := range taps {
		tx := x + int(vec.Floor((t.X*turn.X-t.Y*turn.Y)*reach+0.5))
		ty := y + int(vec.Floor((t.X*turn.Y+t.Y*turn.X)*reach+0.5))
		if tx < 0 || ty < 0 || tx >= r.opt.Width || ty >= r.opt.Height {
			continue
		}
		d := r.depth[ty*s*r.g.w+tx*s]
		if d == 0 {
			continue
		}
		half := 0.5 / float32(s)
		q := v.Eye.AddScaled(v.ray(float32(tx)+half, float32(ty)+half, float32(r.opt.Width),
			float32(r.opt.Height)), 1/d)
		to := q.Sub(p)
		l2 := to.Len2()
		f := radius*radius - l2
		if f <= 0 {
			continue
		}
		up := to.Dot(n) - 0.012 - 0.002*w
		if up > 0 {
			sum += f * f * f * up / (l2 + 0.006)
		}
	}
	const r6 = radius * radius * radius * radius * radius * radius
	return max(0.15, 1-sum*1.1*5/(r6*float32(len(taps))))
}
