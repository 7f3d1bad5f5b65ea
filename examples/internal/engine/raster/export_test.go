package raster

import (
	"math"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// Hash returns a number that tells two maps apart.
func (s *Shadow) Hash() uint64 {
	h := vec.Hash(0)
	for _, d := range s.depth {
		h = h.Word(uint64(math.Float32bits(d)))
	}
	return uint64(h)
}
