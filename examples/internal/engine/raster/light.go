package raster

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A Light is the sun, the sky and the air. Colours are linear.
type Light struct {
	Sun      vec.Vec3 // towards the sun, of length 1
	SunColor vec.Vec3
	Zenith   vec.Vec3 // the sky above
	Horizon  vec.Vec3 // and at the horizon, also the colour of the fog
	Bounce   vec.Vec3 // what comes up from the ground
	Fog      float32  // share of light lost a metre at the ground
	Haze     float32  // metres up at which the fog is 1/e
	Clouds   float32  // 0: clear, 1: overcast
	Exposure float32
}

// Evening is a low warm sun and a blue sky.
func Evening() Light {
	return Light{
		Sun:      vec.V3(-0.62, 0.46, 0.42).Normalize(),
		SunColor: vec.V3(5.2, 3.7, 2.2),
		Zenith:   vec.V3(0.16, 0.30, 0.62),
		Horizon:  vec.V3(0.80, 0.66, 0.54),
		Bounce:   vec.V3(0.24, 0.19, 0.14),
		Fog:      0.008, Haze: 14, Clouds: 0.45, Exposure: 0.72,
	}
}

// sky returns the colour of the sky in a direction of length 1.
func (l *Light) sky(d vec.Vec3) vec.Vec3 {
	up := max(d.Y, 0)
	c := l.Horizon.Lerp(l.Zenith, 1-exp(-3.2*up))
	sun := max(d.Dot(l.Sun), 0)
	s2 := sun * sun
	s8 := s2 * s2 * s2 * s2
	s64 := s8 * s8 * s8 * s8 * s8 * s8 * s8 * s8
	glow := 0.05*s8 + 0.12*s64
	if l.Clouds > 0 && d.Y > 0.015 {
		k := 1.6 / (d.Y + 0.12)
		x, z := d.X*k, d.Z*k
		n := fractal2(x, z, 5, 0.02*k)
		n2 := fractal2(x+l.Sun.X*0.22, z+l.Sun.Z*0.22, 3, 0.02*k) // nearer to the sun
		cover := vec.Smooth(0.62-0.3*l.Clouds, 0.86-0.3*l.Clouds, n) * vec.Smooth(0.015, 0.16, d.Y)
		lit := vec.Clamp(0.55+2.2*(n-n2), 0, 1.2)
		white := l.Horizon.Scale(0.55).Add(l.SunColor.Scale(0.16*lit + 0.10*s8))
		c = c.Lerp(white, 0.85*cover)
		glow *= 1 - 0.6*cover
	}
	c = c.AddScaled(l.SunColor, glow)
	if disc := vec.Smooth(0.99955, 0.9998, sun); disc > 0 {
		c = c.AddScaled(l.SunColor, 6*disc)
	}
	return c
}

// haze returns the density of the fog at a height.
func (l *Light) haze(y float32) float32 { return l.Fog * exp(-max(y, 0)/l.Haze) }

// air returns the fog between the eye and a point: how much light gets through, and the
// colour of the rest. density is that at the eye, d the direction of length 1 and dist the
// distance.
func (l *Light) air(density float32, d vec.Vec3, dist float32) (through float32, c vec.Vec3) {
	// The density falls with the height; this is its integral along the ray.
	a := density * dist
	if x := d.Y * dist / l.Haze; x > 1e-3 || x < -1e-3 {
		a *= (1 - exp(-max(x, -3))) / max(x, -3)
	}
	sun := max(d.Dot(l.Sun), 0)
	sun *= sun
	c = l.Horizon.Scale(0.85).AddScaled(l.SunColor, 0.09*sun*sun*sun)
	return exp(-max(a, 0)), c
}

// ambient returns the light from sky and ground on a surface.
func (l *Light) ambient(n vec.Vec3) vec.Vec3 {
	up := 0.5 + 0.5*n.Y
	sky := l.Zenith.Lerp(l.Horizon, 0.4)
	return l.Bounce.Lerp(sky, up)
}
