package vec

import "math"

// Pi is the half turn.
const Pi = float32(math.Pi)

// Sqrt returns the square root.
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// Abs returns x without its sign.
func Abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// Sin returns the sine of an angle.
func Sin(x float32) float32 { return float32(math.Sin(float64(x))) }

// Cos returns the cosine of an angle.
func Cos(x float32) float32 { return float32(math.Cos(float64(x))) }

// Sincos returns the sine and the cosine of an angle.
func Sincos(x float32) (sin, cos float32) {
	s, c := math.Sincos(float64(x))
	return float32(s), float32(c)
}

// Tan returns the tangent of an angle.
func Tan(x float32) float32 { return float32(math.Tan(float64(x))) }

// Floor returns the greatest whole number that is not above x.
func Floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// Clamp returns x moved into lo..hi.
func Clamp(x, lo, hi float32) float32 { return max(lo, min(hi, x)) }

// Lerp returns a at t = 0 and b at t = 1.
func Lerp(a, b, t float32) float32 { return a + float32((b-a)*t) }

// Smooth returns the smooth step of x: 0 at and below lo, 1 at and above hi, with level ends.
func Smooth(lo, hi, x float32) float32 {
	t := Clamp((x-lo)/(hi-lo), 0, 1)
	return float32(t*t) * (3 - float32(2*t))
}
