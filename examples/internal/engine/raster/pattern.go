package raster

import (
	"math"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Pattern paints a material without a texture.
type Pattern uint8

// The patterns. Those that follow the surface choose two of the three axes by its normal.
const (
	Plain   Pattern = iota // one colour
	Slabs                  // square paving stones on the ground
	Stone                  // hewn stone with veins and stains
	Crate                  // planks in a frame: for a box of -1..1 in the model's space
	Grass                  // earth and grass
	Plaster                // a coat of lime over bricks, which show in places
)

// hash2 returns a number in [0, 1) for a cell.
func hash2(x, y int32) float32 {
	h := uint32(x)*0x8da6b343 ^ uint32(y)*0xd8163841
	h = (h ^ h>>15) * 0x2c1b3c6d
	h = (h ^ h>>12) * 0x297a2d39
	return float32((h^h>>15)>>8) / (1 << 24)
}

func hash3(x, y, z int32) float32 {
	h := uint32(x)*0x8da6b343 ^ uint32(y)*0xd8163841 ^ uint32(z)*0xcb1ab31f
	h = (h ^ h>>15) * 0x2c1b3c6d
	h = (h ^ h>>12) * 0x297a2d39
	return float32((h^h>>15)>>8) / (1 << 24)
}

// floor returns the whole number below x and the rest. It is cheaper than the library's.
func floor(x float32) (int32, float32) {
	i := int32(x)
	if float32(i) > x {
		i--
	}
	return i, x - float32(i)
}

// noise2 returns smooth noise in 0..1 with features of the size of a unit.
func noise2(x, y float32) float32 {
	ix, fx := floor(x)
	iy, fy := floor(y)
	fx, fy = fx*fx*(3-2*fx), fy*fy*(3-2*fy)
	a, b := hash2(ix, iy), hash2(ix+1, iy)
	c, d := hash2(ix, iy+1), hash2(ix+1, iy+1)
	return vec.Lerp(vec.Lerp(a, b, fx), vec.Lerp(c, d, fx), fy)
}

func noise3(p vec.Vec3) float32 {
	ix, fx := floor(p.X)
	iy, fy := floor(p.Y)
	iz, fz := floor(p.Z)
	fx, fy, fz = fx*fx*(3-2*fx), fy*fy*(3-2*fy), fz*fz*(3-2*fz)
	a := vec.Lerp(hash3(ix, iy, iz), hash3(ix+1, iy, iz), fx)
	b := vec.Lerp(hash3(ix, iy+1, iz), hash3(ix+1, iy+1, iz), fx)
	c := vec.Lerp(hash3(ix, iy, iz+1), hash3(ix+1, iy, iz+1), fx)
	d := vec.Lerp(hash3(ix, iy+1, iz+1), hash3(ix+1, iy+1, iz+1), fx)
	return vec.Lerp(vec.Lerp(a, b, fy), vec.Lerp(c, d, fy), fz)
}

// fractal2 adds octaves of noise, as fractal3 does.
func fractal2(x, y float32, octaves int, fw float32) float32 {
	sum, amp, total := float32(0), float32(0.5), float32(0)
	for range octaves {
		total += amp
		if fw < 1 {
			sum += amp * noise2(x, y)
		} else {
			sum += amp * 0.5
		}
		x, y = x*2.03+17.1, y*2.03+9.2
		fw *= 2.03
		amp *= 0.5
	}
	return sum / total
}

// fractal3 adds octaves of noise, leaving out those finer than a pixel of size fw.
func fractal3(p vec.Vec3, octaves int, fw float32) float32 {
	sum, amp, total := float32(0), float32(0.5), float32(0)
	for range octaves {
		total += amp
		if fw < 1 {
			sum += amp * noise3(p)
		} else {
			sum += amp * 0.5
		}
		p = vec.V3(p.X*2.03+17.1, p.Y*2.03+3.7, p.Z*2.03+9.2)
		fw *= 2.03
		amp *= 0.5
	}
	return sum / total
}

// joint returns how much of a pixel of size fw lies in the joint of half width g around the
// borders of a unit cell, f being the place in the cell. It is a box filter, so that a distant
// wall fades to its mean instead of flickering.
func joint(f, g, fw float32) float32 {
	fw = max(fw, 1e-4)
	d := min(f, 1-f) // distance from the border
	c := vec.Clamp((g-d)/fw+0.5, 0, 1)
	if fw > 0.5 {
		return 2 * g
	}
	if fw > 0.25 {
		return vec.Lerp(c, 2*g, (fw-0.25)*4)
	}
	return c
}

// paint returns the colour of a surface point and how much of its highlight is left. fw is the
// width of a pixel there.
func (m *Material) paint(p, n vec.Vec3, fw float32) (c vec.Vec3, polish float32) {
	if m.Pattern == Plain {
		return m.Color, 1
	}
	s := float32(1)
	if m.Scale != 0 {
		s = 1 / m.Scale
	}
	p, fw = p.Scale(s), fw*s
	switch m.Pattern {
	case Slabs:
		return m.slabs(p.X, p.Z, fw)
	case Stone:
		return m.stone(p, fw)
	case Crate:
		return m.crate(p, n, fw)
	case Grass:
		return m.grass(p, fw)
	case Plaster:
		u, v := across(p, n)
		c, polish = m.bricks(u, v, fw)
		k := vec.Smooth(0.42, 0.47, fractal3(p.Scale(0.45), 4, fw*0.45)+0.03*v)
		coat := m.Second.Scale(0.82 + 0.36*fractal3(p.Scale(1.9), 3, fw*1.9))
		return c.Lerp(coat, k), polish
	}
	return m.Color, 1
}

// across returns a horizontal and a vertical coordinate along a surface.
func across(p, n vec.Vec3) (u, v float32) {
	n = n.Abs()
	switch {
	case n.Y >= n.X && n.Y >= n.Z:
		return p.X, p.Z
	case n.X >= n.Z:
		return p.Z, p.Y
	}
	return p.X, p.Y
}

func (m *Material) slabs(x, z, fw float32) (vec.Vec3, float32) {
	ix, fx := floor(x)
	iz, fz := floor(z + 0.5*float32(ix&1))
	g := 1 - (1-joint(fx, 0.018, fw))*(1-joint(fz, 0.018, fw))
	tone := 0.8 + 0.4*hash2(ix, iz)
	if fw < 0.5 {
		tone *= 0.86 + 0.28*noise2(x*5.1, z*5.1)
	}
	stain := 0.75 + 0.5*noise2(x*0.37, z*0.37)
	warm := hash2(iz+71, ix)
	c := m.Color.Mul(vec.V3(0.96+0.08*warm, 1, 1.04-0.08*warm)).Scale(tone * stain)
	return c.Lerp(m.Second.Scale(stain), g), (1 - g) * tone
}

func (m *Material) bricks(u, v, fw float32) (vec.Vec3, float32) {
	const long, high = 0.5, 0.2
	iv, fv := floor(v / high)
	iu, fu := floor(u/long + 0.5*float32(iv&1))
	g := 1 - (1-joint(fu, 0.022, fw/long))*(1-joint(fv, 0.05, fw/high))
	tone := 0.7 + 0.6*hash2(iu, iv)
	if fw > 0.25 {
		tone = vec.Lerp(tone, 1, min(1, (fw-0.25)*4))
	}
	if fw < 0.1 {
		tone *= 0.85 + 0.3*noise2(u*23, v*23)
	}
	stain := 0.8 + 0.4*noise2(u*0.6+5, v*0.45)
	return m.Color.Scale(tone).Lerp(m.Second, g).Scale(stain), 1 - g
}

func (m *Material) stone(p vec.Vec3, fw float32) (vec.Vec3, float32) {
	a := fractal3(p.Scale(2.2), 4, fw*2.2)
	vein := vec.Abs(a - 0.5)
	k := 1 - vec.Smooth(0, 0.035+fw, vein)
	c := m.Color.Scale(0.78 + 0.44*fractal3(p.Scale(0.9), 3, fw*0.9))
	return c.Lerp(m.Second, 0.55*k), 1
}

func (m *Material) crate(p, n vec.Vec3, fw float32) (vec.Vec3, float32) {
	u, v := p.X, p.Y
	axis := int32(2)
	switch a := n.Abs(); {
	case a.X >= a.Y && a.X >= a.Z:
		u, v, axis = p.Z, p.Y, 0
	case a.Y >= a.Z:
		u, v, axis = p.X, p.Z, 1
	}
	au, av := vec.Abs(u), vec.Abs(v)
	const frame = 0.8
	grain := func(along, cross float32, id int32) float32 {
		return 0.78 + 0.24*hash2(id, axis) + 0.22*(noise2(along*2.5+float32(id)*7, cross*26)-0.5)
	}
	if edge := max(au, av); edge > frame { // the frame: posts left and right, beams between
		tone := grain(v, u, 40)
		if av > au {
			tone = grain(u, v, 41)
		}
		line := joint(vec.Clamp(edge-frame, 0, 0.5), 0.018, fw)
		nail := float32(0)
		if d := (au-0.9)*(au-0.9) + (av-0.9)*(av-0.9); d < 0.0012 {
			nail = 0.7
		}
		return m.Color.Scale(1.12*tone*(1-0.75*line)).Lerp(vec.V3(0.03, 0.03, 0.035), nail), 1
	}
	if d := vec.Abs(u - v); d < 0.17 { // the brace
		line := joint(vec.Clamp(0.17-d, 0, 0.5), 0.02, fw)
		return m.Color.Scale(1.05 * grain(u+v, u-v, 42) * (1 - 0.7*line)), 1
	}
	i, f := floor((u + 1) * 2.5)
	gap := joint(f, 0.03, fw*2.5)
	shade := 1 - 0.45*vec.Smooth(frame-0.14, frame, max(au, av)) // in the lee of the frame
	return m.Color.Scale(0.72*grain(v, u, i)*shade).Lerp(m.Second, gap), 0.6
}

func (m *Material) grass(p vec.Vec3, fw float32) (vec.Vec3, float32) {
	a := fractal2(p.X*0.23, p.Z*0.23, 4, fw*0.23)
	b := fractal2(p.X*6, p.Z*6, 3, fw*6)
	c := m.Color.Lerp(m.Second, vec.Smooth(0.4, 0.62, a))
	return c.Scale(0.6 + 0.8*b), 1
}

// exp returns e to the x, to four digits. Fog and sky call it for every pixel.
func exp(x float32) float32 {
	x = vec.Clamp(x*math.Log2E, -80, 80)
	i, f := floor(x)
	// 2 to the f, for f in 0..1, by its series about 1/2; the exponent is put in as bits.
	f = (f - 0.5) * math.Ln2
	y := math.Sqrt2 * (1 + f*(1+f*(0.5+f*(1.0/6+f*(1.0/24)))))
	return y * math.Float32frombits(uint32(i+127)<<23)
}
