package vec

// A Quat is a rotation when it has length 1; W is the real part.
type Quat struct{ X, Y, Z, W float32 }

// QuatIdent is the rotation that turns nothing.
var QuatIdent = Quat{W: 1}

// AxisAngle returns the right-handed turn about an axis of length 1.
func AxisAngle(axis Vec3, angle float32) Quat {
	s, c := Sincos(angle / 2)
	return Quat{axis.X * s, axis.Y * s, axis.Z * s, c}
}

// Mul returns the rotation b followed by a.
func (a Quat) Mul(b Quat) Quat {
	return Quat{
		float32(a.W*b.X) + float32(a.X*b.W) + float32(a.Y*b.Z) - float32(a.Z*b.Y),
		float32(a.W*b.Y) - float32(a.X*b.Z) + float32(a.Y*b.W) + float32(a.Z*b.X),
		float32(a.W*b.Z) + float32(a.X*b.Y) - float32(a.Y*b.X) + float32(a.Z*b.W),
		float32(a.W*b.W) - float32(a.X*b.X) - float32(a.Y*b.Y) - float32(a.Z*b.Z),
	}
}

// Conj returns the conjugate, which undoes the rotation.
func (a Quat) Conj() Quat { return Quat{-a.X, -a.Y, -a.Z, a.W} }

// Dot returns the inner product.
func (a Quat) Dot(b Quat) float32 {
	return float32(a.X*b.X) + float32(a.Y*b.Y) + float32(a.Z*b.Z) + float32(a.W*b.W)
}

// Normalize returns a at length 1; zero becomes the identity.
func (a Quat) Normalize() Quat {
	l := Sqrt(a.Dot(a))
	if l == 0 {
		return QuatIdent
	}
	s := 1 / l
	return Quat{a.X * s, a.Y * s, a.Z * s, a.W * s}
}

// Rotate returns v turned by a.
func (a Quat) Rotate(v Vec3) Vec3 {
	u := Vec3{a.X, a.Y, a.Z}
	t := u.Cross(v).Scale(2)
	return v.AddScaled(t, a.W).Add(u.Cross(t))
}

// Nlerp returns the normalised mean of two rotations along the shorter way: a at t = 0, b at
// t = 1.
func (a Quat) Nlerp(b Quat, t float32) Quat {
	s := 1 - t
	if a.Dot(b) < 0 {
		t = -t
	}
	return Quat{
		float32(a.X*s) + float32(b.X*t),
		float32(a.Y*s) + float32(b.Y*t),
		float32(a.Z*s) + float32(b.Z*t),
		float32(a.W*s) + float32(b.W*t),
	}.Normalize()
}

// Spin returns a after it turned for dt with the angular velocity w, given in world space.
func (a Quat) Spin(w Vec3, dt float32) Quat {
	d := Quat{w.X, w.Y, w.Z, 0}.Mul(a)
	h := dt / 2
	return Quat{
		a.X + float32(d.X*h), a.Y + float32(d.Y*h), a.Z + float32(d.Z*h), a.W + float32(d.W*h),
	}.Normalize()
}

// Axes returns the columns of the rotation's matrix: where X, Y and Z go.
func (a Quat) Axes() (x, y, z Vec3) {
	xx, yy, zz := float32(a.X*a.X), float32(a.Y*a.Y), float32(a.Z*a.Z)
	xy, xz, yz := float32(a.X*a.Y), float32(a.X*a.Z), float32(a.Y*a.Z)
	wx, wy, wz := float32(a.W*a.X), float32(a.W*a.Y), float32(a.W*a.Z)
	x = Vec3{1 - float32(2*(yy+zz)), 2 * (xy + wz), 2 * (xz - wy)}
	y = Vec3{2 * (xy - wz), 1 - float32(2*(xx+zz)), 2 * (yz + wx)}
	z = Vec3{2 * (xz + wy), 2 * (yz - wx), 1 - float32(2*(xx+yy))}
	return x, y, z
}
