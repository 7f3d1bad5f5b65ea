package vec

// A Mat4 is a 4x4 matrix, column after column: row r of column c is at [4*c+r]. The last
// column of an affine matrix is its translation.
type Mat4 [16]float32

// Ident is the matrix that changes nothing.
var Ident = Mat4{0: 1, 5: 1, 10: 1, 15: 1}

// TRS returns the matrix that scales, then rotates, then translates.
func TRS(t Vec3, r Quat, s Vec3) Mat4 {
	x, y, z := r.Axes()
	x, y, z = x.Scale(s.X), y.Scale(s.Y), z.Scale(s.Z)
	return Mat4{x.X, x.Y, x.Z, 0, y.X, y.Y, y.Z, 0, z.X, z.Y, z.Z, 0, t.X, t.Y, t.Z, 1}
}

// Rigid returns the matrix that rotates, then translates.
func Rigid(t Vec3, r Quat) Mat4 {
	x, y, z := r.Axes()
	return Mat4{x.X, x.Y, x.Z, 0, y.X, y.Y, y.Z, 0, z.X, z.Y, z.Z, 0, t.X, t.Y, t.Z, 1}
}

// Translation returns the matrix that moves by t.
func Translation(t Vec3) Mat4 {
	return Mat4{0: 1, 5: 1, 10: 1, 12: t.X, 13: t.Y, 14: t.Z, 15: 1}
}

// Scaling returns the matrix that scales along the axes.
func Scaling(s Vec3) Mat4 { return Mat4{0: s.X, 5: s.Y, 10: s.Z, 15: 1} }

// LookAt returns the view matrix of an eye that looks at a target: world space to view space.
func LookAt(eye, target, up Vec3) Mat4 {
	z := eye.Sub(target).Normalize()
	x := up.Cross(z).Normalize()
	y := z.Cross(x)
	return Mat4{
		x.X, y.X, z.X, 0,
		x.Y, y.Y, z.Y, 0,
		x.Z, y.Z, z.Z, 0,
		-x.Dot(eye), -y.Dot(eye), -z.Dot(eye), 1,
	}
}

// Perspective returns the projection of view space to clip space. fovY is the whole vertical
// angle, aspect the width over the height; near and far are distances along -Z.
func Perspective(fovY, aspect, near, far float32) Mat4 {
	f := 1 / Tan(fovY/2)
	return Mat4{
		0: f / aspect, 5: f,
		10: (far + near) / (near - far), 11: -1,
		14: 2 * far * near / (near - far),
	}
}

// Orthographic returns the projection of the box of view space between l..r, b..t and the
// distances near..far along -Z to clip space.
func Orthographic(l, r, b, t, near, far float32) Mat4 {
	return Mat4{
		0: 2 / (r - l), 5: 2 / (t - b), 10: 2 / (near - far),
		12: (l + r) / (l - r), 13: (b + t) / (b - t), 14: (far + near) / (near - far), 15: 1,
	}
}

// Mul returns the matrix that does b, then a.
func (a *Mat4) Mul(b *Mat4) (m Mat4) {
	for c := 0; c < 16; c += 4 {
		b0, b1, b2, b3 := b[c], b[c+1], b[c+2], b[c+3]
		m[c] = float32(a[0]*b0) + float32(a[4]*b1) + float32(a[8]*b2) + float32(a[12]*b3)
		m[c+1] = float32(a[1]*b0) + float32(a[5]*b1) + float32(a[9]*b2) + float32(a[13]*b3)
		m[c+2] = float32(a[2]*b0) + float32(a[6]*b1) + float32(a[10]*b2) + float32(a[14]*b3)
		m[c+3] = float32(a[3]*b0) + float32(a[7]*b1) + float32(a[11]*b2) + float32(a[15]*b3)
	}
	return m
}

// Project returns the matrix applied to the point p, with its fourth part.
func (a *Mat4) Project(p Vec3) Vec4 {
	return Vec4{
		float32(a[0]*p.X) + float32(a[4]*p.Y) + float32(a[8]*p.Z) + a[12],
		float32(a[1]*p.X) + float32(a[5]*p.Y) + float32(a[9]*p.Z) + a[13],
		float32(a[2]*p.X) + float32(a[6]*p.Y) + float32(a[10]*p.Z) + a[14],
		float32(a[3]*p.X) + float32(a[7]*p.Y) + float32(a[11]*p.Z) + a[15],
	}
}

// Point returns an affine matrix applied to the point p.
func (a *Mat4) Point(p Vec3) Vec3 {
	return Vec3{
		float32(a[0]*p.X) + float32(a[4]*p.Y) + float32(a[8]*p.Z) + a[12],
		float32(a[1]*p.X) + float32(a[5]*p.Y) + float32(a[9]*p.Z) + a[13],
		float32(a[2]*p.X) + float32(a[6]*p.Y) + float32(a[10]*p.Z) + a[14],
	}
}

// Dir returns an affine matrix applied to the direction d: the translation does not count.
func (a *Mat4) Dir(d Vec3) Vec3 {
	return Vec3{
		float32(a[0]*d.X) + float32(a[4]*d.Y) + float32(a[8]*d.Z),
		float32(a[1]*d.X) + float32(a[5]*d.Y) + float32(a[9]*d.Z),
		float32(a[2]*d.X) + float32(a[6]*d.Y) + float32(a[10]*d.Z),
	}
}

// Pos returns the translation of an affine matrix.
func (a *Mat4) Pos() Vec3 { return Vec3{a[12], a[13], a[14]} }

// Inverse returns the inverse of any matrix that has one, and whether it has.
func (a *Mat4) Inverse() (Mat4, bool) {
	// Gauss and Jordan with the largest pivot, in float64: it runs at set-up and once a frame.
	var w [4][8]float64
	for r := range 4 {
		for c := range 4 {
			w[r][c] = float64(a[4*c+r])
		}
		w[r][4+r] = 1
	}
	for c := range 4 {
		p := c
		for r := c + 1; r < 4; r++ {
			if max(w[r][c], -w[r][c]) > max(w[p][c], -w[p][c]) {
				p = r
			}
		}
		if w[p][c] == 0 {
			return Mat4{}, false
		}
		w[c], w[p] = w[p], w[c]
		s := 1 / w[c][c]
		for k := range 8 {
			w[c][k] *= s
		}
		for r := range 4 {
			if r == c {
				continue
			}
			f := w[r][c]
			for k := range 8 {
				w[r][k] -= float64(f * w[c][k])
			}
		}
	}
	var m Mat4
	for r := range 4 {
		for c := range 4 {
			m[4*c+r] = float32(w[r][4+c])
		}
	}
	return m, true
}

// Planes returns the six planes that bound what the projection a shows, with normals inward
// and of length 1: left, right, bottom, top, near, far.
func (a *Mat4) Planes() [6]Plane {
	row := func(r int) Vec4 { return Vec4{a[r], a[4+r], a[8+r], a[12+r]} }
	x, y, z, w := row(0), row(1), row(2), row(3)
	var p [6]Plane
	for i, v := range [6]Vec4{w.Add(x), w.Sub(x), w.Add(y), w.Sub(y), w.Add(z), w.Sub(z)} {
		p[i] = Plane{v.XYZ(), v.W}.Normalize()
	}
	return p
}
