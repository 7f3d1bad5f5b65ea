package vec

// A Vec3 is a point or direction in space, or a linear colour.
type Vec3 struct{ X, Y, Z float32 }

// V3 returns a vector of its three parts.
func V3(x, y, z float32) Vec3 { return Vec3{x, y, z} }

// Add returns a + b.
func (a Vec3) Add(b Vec3) Vec3 { return Vec3{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }

// Sub returns a - b.
func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }

// Mul returns the product part by part.
func (a Vec3) Mul(b Vec3) Vec3 { return Vec3{a.X * b.X, a.Y * b.Y, a.Z * b.Z} }

// Scale returns a multiplied by s.
func (a Vec3) Scale(s float32) Vec3 { return Vec3{a.X * s, a.Y * s, a.Z * s} }

// AddScaled returns a + b*s.
func (a Vec3) AddScaled(b Vec3, s float32) Vec3 {
	return Vec3{a.X + float32(b.X*s), a.Y + float32(b.Y*s), a.Z + float32(b.Z*s)}
}

// Neg returns -a.
func (a Vec3) Neg() Vec3 { return Vec3{-a.X, -a.Y, -a.Z} }

// Dot returns the inner product.
func (a Vec3) Dot(b Vec3) float32 {
	return float32(a.X*b.X) + float32(a.Y*b.Y) + float32(a.Z*b.Z)
}

// Cross returns the right-handed outer product.
func (a Vec3) Cross(b Vec3) Vec3 {
	return Vec3{
		float32(a.Y*b.Z) - float32(a.Z*b.Y),
		float32(a.Z*b.X) - float32(a.X*b.Z),
		float32(a.X*b.Y) - float32(a.Y*b.X),
	}
}

// Len2 returns the square of the length.
func (a Vec3) Len2() float32 { return a.Dot(a) }

// Len returns the length.
func (a Vec3) Len() float32 { return Sqrt(a.Len2()) }

// Dist returns the distance of two points.
func (a Vec3) Dist(b Vec3) float32 { return a.Sub(b).Len() }

// Normalize returns a at length 1; a zero vector stays zero.
func (a Vec3) Normalize() Vec3 {
	l := a.Len()
	if l == 0 {
		return Vec3{}
	}
	return a.Scale(1 / l)
}

// Lerp returns a at t = 0 and b at t = 1.
func (a Vec3) Lerp(b Vec3, t float32) Vec3 { return a.AddScaled(b.Sub(a), t) }

// Min returns the smaller of each part.
func (a Vec3) Min(b Vec3) Vec3 { return Vec3{min(a.X, b.X), min(a.Y, b.Y), min(a.Z, b.Z)} }

// Max returns the larger of each part.
func (a Vec3) Max(b Vec3) Vec3 { return Vec3{max(a.X, b.X), max(a.Y, b.Y), max(a.Z, b.Z)} }

// Abs returns each part without its sign.
func (a Vec3) Abs() Vec3 { return Vec3{Abs(a.X), Abs(a.Y), Abs(a.Z)} }
