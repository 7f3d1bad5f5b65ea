package tilelapack

import (
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/heddle-go/heddle/taskgraph"
)

// A LAPACK is gonum's implementation of LAPACK with Dpotrf, Dgetrf and Dgeqrf as graphs of tasks on
// tiles, which workers of a system and the calling goroutine run. All other routines are gonum's,
// and so are these three where the matrix is small. Arguments that are not valid panic as they do
// in gonum.
//
// Results do not depend on the number of workers, to the last bit. They differ from gonum's by
// rounding; the README has the bounds. Where a matrix is not positive definite or singular the
// answer is gonum's, but what Dpotrf leaves of the former may be another part of its factor.
//
// # Concurrency
//
// Any number of goroutines may call it at the same time, bodies of tasks of the system as well. A
// body's call takes part in its own graph and does not hang, with one worker and at any depth; but
// the system does not know that the body waits, so where all who may take part do, it goes on only
// when the system's watch has added a worker, some milliseconds later.
//
// After a shutdown of the system the caller does all. It must not be shut down during a call: if it
// gives up then, the call panics with its error.
//
// # Cost
//
// The graphs of the last few sizes are kept and used again: a call with one of them allocates
// nothing in the steady state, but for a QR, whose reflectors need memory of their own. A graph
// takes about 100 bytes for each of its tasks.
type LAPACK struct {
	gonum.Implementation

	sys         *taskgraph.System
	min, shared thresholds // for tiles, and for a graph of them
	plans       shelf
}

// thresholds say which dimension, the smaller one, a matrix must have.
type thresholds struct{ potrf, getrf, geqrf int }

// least and measured are where cmd/compare found tiles to be faster than gonum, on the caller alone
// and with two workers.
var (
	least    = thresholds{potrf: 80, getrf: 112, geqrf: 192}
	measured = thresholds{potrf: 192, getrf: 256, geqrf: 192}
)

var _ lapack.Float64 = (*LAPACK)(nil)

// New returns a LAPACK that works on sys. It panics if sys is nil.
func New(sys *taskgraph.System) *LAPACK {
	if sys == nil {
		panic("tilelapack: nil System")
	}
	return &LAPACK{sys: sys, min: least, shared: measured}
}

// System returns the system that l works on.
func (l *LAPACK) System() *taskgraph.System { return l.sys }

// isMatrix reports whether a has rows and columns as gonum demands it.
func isMatrix(rows, cols int, a []float64, lda int) bool {
	return lda >= cols && len(a) >= (rows-1)*lda+cols
}

// pieces returns how many pieces of the given size cover n.
func pieces(n, size int) int { return (n + size - 1) / size }
