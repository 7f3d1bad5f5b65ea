package vec

// A Rand is a small generator of random numbers that repeat for a seed. It is a value: a copy
// goes on by itself. Use one Rand per object, or RandAt, where the order of use is not fixed.
type Rand struct {
	// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
	state uint64
}

const golden = 0x9e3779b97f4a7c15

// NewRand returns a generator for a seed.
func NewRand(seed uint64) Rand { return Rand{mix64(seed + golden)} }

// RandAt returns the generator of one object at one time: it depends on its arguments alone.
func RandAt(seed, object, time uint64) Rand {
	return Rand{mix64(mix64(mix64(seed+golden)+object+golden) + time + golden)}
}

func mix64(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	r.state += golden
	return mix64(r.state)
}

// Intn returns a number in 0..n-1; n must be positive.
func (r *Rand) Intn(n int) int { return int((r.Uint64() >> 32) * uint64(n) >> 32) }

// Float32 returns a number in [0, 1).
func (r *Rand) Float32() float32 { return float32(r.Uint64()>>40) / (1 << 24) }

// Range returns a number in [lo, hi).
func (r *Rand) Range(lo, hi float32) float32 { return lo + float32((hi-lo)*r.Float32()) }

// Vec3 returns a point of the box of two corners.
func (r *Rand) Vec3(lo, hi Vec3) Vec3 {
	x, y, z := r.Range(lo.X, hi.X), r.Range(lo.Y, hi.Y), r.Range(lo.Z, hi.Z)
	return Vec3{x, y, z}
}

// Unit returns a direction of length 1, all directions alike.
func (r *Rand) Unit() Vec3 {
	z := r.Range(-1, 1)
	s, c := Sincos(r.Range(0, 2*Pi))
	d := Sqrt(max(0, 1-float32(z*z)))
	return Vec3{d * c, d * s, z}
}
