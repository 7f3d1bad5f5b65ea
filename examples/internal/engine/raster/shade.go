package raster

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// Shade colours the tiles lo to hi-1.
func (r *Renderer) Shade(lo, hi int) {
	for t := lo; t < hi; t++ {
		x0, y0, x1, y1 := r.tile(t)
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				r.color[y*r.opt.Width+x] = r.pixel(x, y)
			}
		}
		r.blend(x0, y0, x1-1, y1-1)
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				r.finish(x, y)
			}
		}
	}
}

// A hit is the place of a triangle that is seen.
type hit struct {
	item        *Item
	v           [3]uint32
	b           [3]float32 // shares of the corners
	w           float32    // distance along the view
	p, n        vec.Vec3   // place and normal in the world, the latter towards the eye's side
	modelNormal vec.Vec3   // not of length 1
}

// mix returns what a vertex array has at the hit.
func (h *hit) mix(a []vec.Vec3) vec.Vec3 {
	return a[h.v[0]].Scale(h.b[0]).AddScaled(a[h.v[1]], h.b[1]).AddScaled(a[h.v[2]], h.b[2])
}

// hit returns the place of a triangle that is seen at x, y, in pixels; ray leads there.
func (r *Renderer) hit(id uint32, x, y float32, ray vec.Vec3) hit {
	t := &r.g.tris[id-1]
	h := hit{item: &r.g.items[t.item], v: t.v}
	s := float32(r.opt.Samples)
	px, py := float64(x*s), float64(y*s)
	var e [3]float64
	for k := range 3 {
		e[k] = t.e[k][0]*px + t.e[k][1]*py + t.e[k][2]
	}
	inv := 1 / (e[0] + e[1] + e[2])
	h.b = [3]float32{float32(e[0] * inv), float32(e[1] * inv), float32(e[2] * inv)}
	h.w = 1 / float32(t.d[0]*px+t.d[1]*py+t.d[2])
	h.p = r.view.Eye.AddScaled(ray, h.w)
	h.modelNormal = h.mix(h.item.Nrm)
	h.n = h.item.Model.Dir(h.modelNormal).Normalize()
	if t.back {
		h.n = h.n.Neg()
	}
	return h
}

// pixel returns the light of a pixel without the splats. A triangle that covers several of
// its samples is shaded once.
func (r *Renderer) pixel(x, y int) vec.Vec3 {
	s := r.opt.Samples
	at := y*s*r.g.w + x*s
	if s == 1 {
		return r.surface(r.ids[at], x, y, 0.5, 0.5)
	}
	places := [4]int{at, at + 1, at + r.g.w, at + r.g.w + 1}
	var sum vec.Vec3
	var done [4]bool
	for i, p := range places {
		if done[i] {
			continue
		}
		n := float32(0)
		var mx, my float32
		for k := i; k < 4; k++ {
			if r.ids[places[k]] == r.ids[p] {
				done[k] = true
				n++
				mx += 0.25 + 0.5*float32(k&1)
				my += 0.25 + 0.5*float32(k>>1)
			}
		}
		// In the middle of the samples, which is inside: a triangle is convex.
		c := r.surface(r.ids[p], x, y, mx/n, my/n)
		// A highlight that is far brighter than white would not be smooth at its edges.
		sum = sum.AddScaled(c.Min(vec.V3(6, 6, 6)), n*0.25)
	}
	return sum
}

// surface returns the light that comes to the place fx, fy in a pixel from a triangle, or from
// the sky if id is 0.
func (r *Renderer) surface(id uint32, x, y int, fx, fy float32) vec.Vec3 {
	ray := r.view.ray(float32(x)+fx, float32(y)+fy, float32(r.opt.Width), float32(r.opt.Height))
	length := ray.Len()
	dir := ray.Scale(1 / length)
	if id == 0 {
		return r.light.sky(dir)
	}
	h := r.hit(id, float32(x)+fx, float32(y)+fy, ray)
	it, p, n, w := h.item, h.p, h.n, h.w
	m := &it.Material
	pp, pn := p, n
	if m.ModelCoat {
		pp, pn = h.mix(it.Pos), h.modelNormal
	}
	facing := max(-dir.Dot(n), 0.12)
	footprint := w * length * 2 * r.view.TanY / float32(r.opt.Height) / vec.Sqrt(facing)
	albedo, polish := m.paint(pp, pn, footprint)
	albedo = albedo.Mul(it.Tint)
	if it.Col != nil {
		albedo = albedo.Mul(h.mix(it.Col))
	}

	l := &r.light
	open := float32(1)
	if r.opt.Occlusion {
		open = r.openAround(x, y, w)
	}
	c := albedo.Mul(l.ambient(n)).Scale(open)
	sunward := n.Dot(l.Sun)
	if sunward > 0 || m.Through > 0 {
		lit := float32(1)
		if r.shadow != nil {
			off := n
			if sunward < 0 {
				off = n.Neg()
			}
			lit = r.shadow.lit(p, off, vec.Abs(sunward))
		}
		if sunward > 0 {
			c = c.Add(albedo.Mul(l.SunColor).Scale(sunward * lit * 0.4))
			if m.Specular > 0 {
				half := l.Sun.Sub(dir).Normalize()
				k := max(n.Dot(half), 0)
				for range m.Gloss {
					k *= k
				}
				c = c.AddScaled(l.SunColor, m.Specular*polish*k*lit*sunward)
			}
		} else {
			c = c.Add(albedo.Mul(albedo).Mul(l.SunColor).Scale(-sunward * lit * m.Through))
		}
	}
	if m.Specular > 0 { // the sky, mirrored at a grazing angle
		k := 1 - max(-dir.Dot(n), 0)
		k *= k
		k *= k
		up := dir.Y - 2*dir.Dot(n)*n.Y
		c = c.AddScaled(l.Horizon.Lerp(l.Zenith, vec.Clamp(up, 0, 1)), m.Specular*polish*k*open*0.8)
	}
	through, fog := l.air(r.haze, dir, w*length)
	return fog.Lerp(c, through)
}

// blend lays the splats over the pixels x0..x1, y0..y1, bounds inclusive.
func (r *Renderer) blend(x0, y0, x1, y1 int) {
	tx0, ty0, tx1, ty1 := int16(x0), int16(y0), int16(x1), int16(y1)
	s := r.opt.Samples
	for _, key := range r.keys[:r.seen] {
		p := &r.placed[uint32(key)]
		if p.maxX < tx0 || p.minX > tx1 || p.maxY < ty0 || p.minY > ty1 {
			continue
		}
		inv := 1 / p.r
		z := 1 / p.d
		for y := max(p.minY, ty0); y <= min(p.maxY, ty1); y++ {
			dy := (p.y - float32(y) - 0.5) * inv
			for x := max(p.minX, tx0); x <= min(p.maxX, tx1); x++ {
				dx := (float32(x) + 0.5 - p.x) * inv
				rr := dx*dx + dy*dy
				if rr >= 1 {
					continue
				}
				// Where a surface cuts it, a splat fades out.
				at := int(y)*s*r.g.w + int(x)*s
				fade := soft(r.depth[at], z, p.radius)
				if s == 2 {
					fade = 0.5 * (fade + soft(r.depth[at+r.g.w+1], z, p.radius))
				}
				if fade == 0 {
					continue
				}
				k := (1 - rr) * (1 - rr) * fade
				side := 0.5 + 0.5*(dx*p.dir.X+dy*p.dir.Y+vec.Sqrt(1-rr)*p.dir.Z)
				c := &r.color[int(y)*r.opt.Width+int(x)]
				light := p.rest.AddScaled(p.sun, side)
				if p.alpha > 0 {
					*c = c.Scale(1-k*p.alpha).AddScaled(light, k*p.alpha)
				} else {
					*c = c.AddScaled(light, k)
				}
			}
		}
	}
}

// soft returns how much of a splat at distance z is in front of a surface of depth d.
func soft(d, z, radius float32) float32 {
	if d == 0 {
		return 1
	}
	return vec.Clamp((1/d-z)/(0.7*radius)+0.3, 0, 1)
}

// finish turns the light of a pixel into its colour.
func (r *Renderer) finish(x, y int) {
	c := r.color[y*r.opt.Width+x]
	// Darker towards the corners, as a lens is.
	dx, dy := float32(x)/float32(r.opt.Width)-0.5, float32(y)/float32(r.opt.Height)-0.5
	c = c.Scale(r.light.Exposure * (1 - 0.55*(dx*dx+dy*dy)))
	// A little noise hides the steps between neighbouring colours of the sky.
	dither := (hash2(int32(x), int32(y)) - 0.5) * 0.35
	pix := r.img.Pix[r.img.PixOffset(x, y):]
	pix = pix[:4]
	pix[0], pix[1], pix[2], pix[3] = tone(c.X, dither), tone(c.Y, dither), tone(c.Z, dither), 255
}

// tone compresses bright light smoothly, as film does.
func tone(x, dither float32) uint8 {
	x = x * (2.51*x + 0.03) / (x*(2.43*x+0.59) + 0.14)
	const top = float32(len(encode) - 1)
	i := vec.Clamp(x, 0, 1) * top
	return encode[int(vec.Clamp(i+dither*(2+i*0.006), 0, top))]
}
