package vec

// A Vec4 is a homogeneous point, in clip space for the most part.
type Vec4 struct{ X, Y, Z, W float32 }

// Add returns a + b.
func (a Vec4) Add(b Vec4) Vec4 { return Vec4{a.X + b.X, a.Y + b.Y, a.Z + b.Z, a.W + b.W} }

// Sub returns a - b.
func (a Vec4) Sub(b Vec4) Vec4 { return Vec4{a.X - b.X, a.Y - b.Y, a.Z - b.Z, a.W - b.W} }

// Scale returns a multiplied by s.
func (a Vec4) Scale(s float32) Vec4 { return Vec4{a.X * s, a.Y * s, a.Z * s, a.W * s} }

// Dot returns the inner product.
func (a Vec4) Dot(b Vec4) float32 {
	return float32(a.X*b.X) + float32(a.Y*b.Y) + float32(a.Z*b.Z) + float32(a.W*b.W)
}

// Lerp returns a at t = 0 and b at t = 1.
func (a Vec4) Lerp(b Vec4, t float32) Vec4 {
	d := b.Sub(a)
	return Vec4{a.X + float32(d.X*t), a.Y + float32(d.Y*t), a.Z + float32(d.Z*t), a.W + float32(d.W*t)}
}

// XYZ returns the first three parts.
func (a Vec4) XYZ() Vec3 { return Vec3{a.X, a.Y, a.Z} }
