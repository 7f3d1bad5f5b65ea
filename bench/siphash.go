package main

import (
	"encoding/binary"
	"math/bits"
)

// siphash returns SipHash-2-4 of a message of 64-bit words: Aumasson and Bernstein, "SipHash: a
// fast short-input PRF", 2012.
func siphash(key [16]byte, words ...uint64) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])
	v := [4]uint64{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
		k1 ^ 0x7465646279746573}
	rounds := func(n int) {
		for range n {
			v[0] += v[1]
			v[2] += v[3]
			v[1] = bits.RotateLeft64(v[1], 13) ^ v[0]
			v[3] = bits.RotateLeft64(v[3], 16) ^ v[2]
			v[0] = bits.RotateLeft64(v[0], 32)
			v[2] += v[1]
			v[0] += v[3]
			v[1] = bits.RotateLeft64(v[1], 17) ^ v[2]
			v[3] = bits.RotateLeft64(v[3], 21) ^ v[0]
			v[2] = bits.RotateLeft64(v[2], 32)
		}
	}
	for _, w := range append(words, uint64(len(words)*8)<<56) {
		v[3] ^= w
		rounds(2)
		v[0] ^= w
	}
	v[2] ^= 0xff
	rounds(4)
	return v[0] ^ v[1] ^ v[2] ^ v[3]
}
