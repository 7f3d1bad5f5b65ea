package history

import (
	"fmt"
	"strings"
)

// MaxValues is the number of values that a Values can hold.
const MaxValues = 63

// Values is a list of numbers from 0 to 255: the state, or a part of it, of a Spec of a
// container. It panics if a number is out of range or if there is no room.
//
// The zero Values is empty. It is a small comparable value, and may be copied.
type Values struct {
	n int8
	v [MaxValues]uint8 // zero from n on, so that equal lists are equal by ==
}

// Len returns the number of values.
func (s *Values) Len() int { return int(s.n) }

// At returns the value i.
func (s *Values) At(i int) int64 { return int64(s.v[i]) }

// Push adds v at the end.
func (s *Values) Push(v int64) {
	if v < 0 || v > 255 {
		panic(fmt.Sprintf("history: value %d, not 0 to 255", v))
	}
	if s.n == MaxValues {
		panic(fmt.Sprintf("history: more than %d values at once", MaxValues))
	}
	s.v[s.n] = uint8(v)
	s.n++
}

// Remove takes the value i out.
func (s *Values) Remove(i int) int64 {
	n := int(s.n)
	v := s.v[i]
	copy(s.v[i:n], s.v[i+1:n])
	s.n--
	s.v[s.n] = 0
	return int64(v)
}

// Pack returns the Pack of the values in their order, or backwards.
func (s *Values) Pack(backwards bool) int64 {
	p := packer{}
	for i := range int(s.n) {
		if backwards {
			i = int(s.n) - 1 - i
		}
		p.add(int64(s.v[i]))
	}
	return p.sum()
}

// String lists the values.
func (s Values) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range s.Len() {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, s.v[i])
	}
	b.WriteByte(']')
	return b.String()
}
