package history

import (
	"fmt"
	"strings"
)

// Pack makes a number of a list of values, so that a call can return one. Equal lists give
// equal numbers. Up to 15 values from 1 to 15 can be read back from it; of other lists it is
// a digest, which different lists share by an unlikely accident only.
func Pack(values ...int64) int64 {
	p := packer{}
	for _, v := range values {
		p.add(v)
	}
	return p.sum()
}

// PackName shows a Pack.
func PackName(pack int64) string {
	if pack < 0 {
		return fmt.Sprintf("[digest %x]", uint64(pack)&^packDigest)
	}
	var values []string
	for ; pack != 0; pack >>= 4 {
		values = append(values, fmt.Sprint(pack&15))
	}
	return "[" + strings.Join(values, " ") + "]"
}

const (
	packDigest = 1 << 63 // marks a digest
	packValues = 15
)

// A packer makes a Pack, value by value.
type packer struct {
	n      int
	digest bool
	list   uint64 // the first value in the lowest 4 bits
	hash   uint64
}

func (p *packer) add(v int64) {
	if p.n == packValues || v < 1 || v > 15 {
		p.digest = true
	} else {
		p.list |= uint64(v) << (4 * p.n)
	}
	p.n++
	p.hash = (p.hash ^ uint64(v) + uint64(p.n)) * 0x9e3779b97f4a7c15
	p.hash ^= p.hash >> 29
}

func (p *packer) sum() int64 {
	if p.digest {
		return int64(p.hash | packDigest)
	}
	return int64(p.list)
}
