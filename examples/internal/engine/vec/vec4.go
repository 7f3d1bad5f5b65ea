package vec

// A Vec4 is a homogeneous point, in clip space for the most part.
type Vec4 struct{ X, Y, Z, W float32 }

// Add returns a + b.
func (a Vec4) Add(b Vec4) Vec4 { return Vec4{a.X + b.X, a.Y + b.Y, a.Z + b.Z, a.W + b.W} }

// Sub returns a - b.
func (a Vec4) Sub(b Vec4) Vec4 { return Vec4{a.X - b.X, a.Y - b.Y, a.Z - b.Z, a.W - b.W} }

// XYZ returns the first three parts.
func (a Vec4) XYZ() Vec3 { return Vec3{a.X, a.Y, a.Z} }
