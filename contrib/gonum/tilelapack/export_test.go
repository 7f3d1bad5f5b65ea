package tilelapack

import "github.com/heddle-go/heddle/taskgraph"

// NewEager returns a LAPACK that makes a graph for any matrix.
func NewEager(sys *taskgraph.System) *LAPACK {
	l := New(sys)
	l.min = thresholds{}
	return l
}
