package frame

import "math"

// A mean is the root of the mean of squares.
type mean struct {
	squares float64
	n       int
	each    []float32 // the first of them, as many as there is room for
}

func (m *mean) add(x float64) {
	m.squares += x * x
	m.n++
	if len(m.each) < cap(m.each) {
		m.each = append(m.each, float32(x))
	}
}

func (m *mean) root() float64 {
	if m.n == 0 {
		return 0
	}
	return math.Sqrt(m.squares / float64(m.n))
}
