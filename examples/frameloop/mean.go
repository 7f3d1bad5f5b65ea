package main

import "math"

// A mean is the root of the mean of squares.
type mean struct {
	squares float64
	n       int
}

func (m *mean) add(x float64) {
	m.squares += x * x
	m.n++
}

func (m *mean) root() float64 {
	if m.n == 0 {
		return 0
	}
	return math.Sqrt(m.squares / float64(m.n))
}
