package vec

// A Vec2 is a point or direction in the plane.
type Vec2 struct{ X, Y float32 }

// Add returns a + b.
func (a Vec2) Add(b Vec2) Vec2 { return Vec2{a.X + b.X, a.Y + b.Y} }

// Sub returns a - b.
func (a Vec2) Sub(b Vec2) Vec2 { return Vec2{a.X - b.X, a.Y - b.Y} }

// Scale returns a multiplied by s.
func (a Vec2) Scale(s float32) Vec2 { return Vec2{a.X * s, a.Y * s} }

// Dot returns the inner product.
func (a Vec2) Dot(b Vec2) float32 { return float32(a.X*b.X) + float32(a.Y*b.Y) }
