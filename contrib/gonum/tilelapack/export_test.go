package tilelapack

import (
	"math"

	"github.com/heddle-go/heddle/taskgraph"
)

// NewEager returns a LAPACK that makes a graph for any matrix.
func NewEager(sys *taskgraph.System) *LAPACK {
	return &LAPACK{sys: sys}
}

// NewAlone returns a LAPACK that factors on the calling goroutine what it can.
func NewAlone(sys *taskgraph.System) *LAPACK {
	return &LAPACK{sys: sys, shared: thresholds{math.MaxInt, math.MaxInt, math.MaxInt}}
}
