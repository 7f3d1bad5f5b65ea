package draw

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A Path is a closed way of a camera through points, and what it looks at from each.
type Path struct {
	Eye, Target []vec.Vec3 // equally many, at least one
}

// At returns where the camera is after so many laps, and what it looks at. It passes every
// point, at equal times, without a jerk.
func (p *Path) At(laps float32) (eye, target vec.Vec3) {
	n := len(p.Eye)
	whole := vec.Floor(laps)
	u := (laps - whole) * float32(n)
	i := min(int(u), n-1)
	t := u - float32(i)
	return curve(p.Eye, i, t), curve(p.Target, i, t)
}

// curve returns the place between the points i and i+1 of a closed Catmull-Rom curve.
func curve(p []vec.Vec3, i int, t float32) vec.Vec3 {
	n := len(p)
	a, b, c, d := p[(i+n-1)%n], p[i], p[(i+1)%n], p[(i+2)%n]
	t2 := float32(t * t)
	t3 := float32(t2 * t)
	return a.Scale(float32(2*t2) - t3 - t).
		Add(b.Scale(float32(3*t3) - float32(5*t2) + 2)).
		Add(c.Scale(float32(4*t2) - float32(3*t3) + t)).
		Add(d.Scale(t3 - t2)).
		Scale(0.5)
}
