package order

import "math"

// Sort sorts keys in ascending order. scratch must be as long as keys; its contents are lost.
// It is one sequential step, linear in the number of keys.
func Sort(keys, scratch []uint64) {
	// The counting sort by digits from the lowest up, as in Knuth, The Art of Computer
	// Programming, volume 3, section 5.2.5. A digit that is the same in all keys is left out.
	if len(keys) < 2 {
		return
	}
	all, none := ^uint64(0), uint64(0)
	for _, k := range keys {
		all &= k
		none |= k
	}
	varies := all ^ none
	from, to := keys, scratch[:len(keys)]
	var count [1 << digit]uint32
	for shift := 0; shift < 64; shift += digit {
		if varies>>shift&(1<<digit-1) == 0 {
			continue
		}
		clear(count[:])
		for _, k := range from {
			count[k>>shift&(1<<digit-1)]++
		}
		var sum uint32
		for i, c := range count {
			count[i] = sum
			sum += c
		}
		for _, k := range from {
			d := k >> shift & (1<<digit - 1)
			to[count[d]] = k
			count[d]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

const digit = 8

// Key returns a key that sorts by x, which must not be negative, and then by index.
func Key(x float32, index int) uint64 {
	return uint64(math.Float32bits(x))<<32 | uint64(uint32(index))
}

// Index returns the index of a key.
func Index(key uint64) int { return int(uint32(key)) }

// None is a key that sorts behind all that Key returns.
const None = ^uint64(0)
