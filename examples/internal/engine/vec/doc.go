// Package vec has the small algebra of the engine: vectors, quaternions, matrices, bounds,
// planes, seeded random numbers and a running hash. Everything is float32 and passed by value.
//
// # Conventions
//
// The world is right-handed with Y up; lengths are metres, angles radians. A vector is a
// column and a matrix multiplies it from the left, so that a.Mul(b) applied to v is a applied
// to (b applied to v). A camera looks along -Z of its view space. Clip space has x, y and z
// within -w..w; after division by w, z = -1 is the near plane and z = 1 the far one.
//
// # Repeatability
//
// A product that meets a sum is converted to float32 in between, so no compiler may fuse the
// two: the same operands give the same bits wherever they are computed.
package vec
