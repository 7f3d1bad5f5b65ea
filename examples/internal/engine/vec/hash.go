package vec

import "math"

// A Hash is a running sum of 64 bits over numbers in a given order. It tells two states apart
// with all likelihood, is no defence against anybody, and sees every bit: +0 and -0 differ.
type Hash uint64

// Word returns the hash after one word.
func (h Hash) Word(x uint64) Hash { return Hash(mix64((uint64(h)+golden)^x)) * 0x2127599bf4325c37 }

// Int returns the hash after one integer.
func (h Hash) Int(x int) Hash { return h.Word(uint64(int64(x))) }

// Float returns the hash after one number.
func (h Hash) Float(x float32) Hash { return h.Word(uint64(math.Float32bits(x))) }

// Floats returns the hash after all the numbers and their count.
func (h Hash) Floats(x []float32) Hash {
	h = h.Int(len(x))
	for _, v := range x {
		h = h.Float(v)
	}
	return h
}

// Vec3 returns the hash after one vector.
func (h Hash) Vec3(v Vec3) Hash {
	return h.Word(uint64(math.Float32bits(v.X)) | uint64(math.Float32bits(v.Y))<<32).Float(v.Z)
}

// Vec3s returns the hash after all the vectors and their count.
func (h Hash) Vec3s(x []Vec3) Hash {
	h = h.Int(len(x))
	for _, v := range x {
		h = h.Vec3(v)
	}
	return h
}
