package vec

// A Plane is the set of points p with N.p + D = 0. Its inside is the side that N points to.
type Plane struct {
	N Vec3
	D float32
}

// Dist returns the signed distance of a point, positive inside, if N has length 1.
func (a Plane) Dist(p Vec3) float32 { return a.N.Dot(p) + a.D }

// Normalize returns the same plane with a normal of length 1.
func (a Plane) Normalize() Plane {
	l := a.N.Len()
	if l == 0 {
		return a
	}
	return Plane{a.N.Scale(1 / l), a.D / l}
}
