package tileblas

import (
	"math"

	"github.com/heddle-go/heddle/taskgraph"
)

// NewEager returns a BLAS that cuts operands however small they are.
func NewEager(sys *taskgraph.System) *BLAS {
	return &BLAS{sys: sys}
}

// NewAlone returns a BLAS whose tiles are the caller's, however many there are.
func NewAlone(sys *taskgraph.System) *BLAS {
	const all = math.MaxInt
	return &BLAS{sys: sys, shared: thresholds{all, all, all, all, all}}
}
