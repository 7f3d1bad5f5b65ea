package tileblas

import (
	"math/bits"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
	"github.com/heddle-go/heddle/taskgraph"
)

// A BLAS is gonum's implementation of BLAS with Dgemm, Dsyrk, Dtrsm and Dgemv in parallel, on the
// workers of a system and the calling goroutine. All other routines are gonum's, and so are these
// four where the operands are small. Arguments that are not valid panic as they do in gonum.
//
// Results do not depend on the number of workers, to the last bit. Those of Dgemm and Dgemv are the
// bits of gonum's on amd64, NaN and Inf included. Those of Dsyrk and Dtrsm differ by rounding: the
// README has the bounds. With beta = 0, Dsyrk does not read c, as the standard says; gonum's
// leaves NaN in it in one case.
//
// # Concurrency
//
// Any number of goroutines may call it at the same time, bodies of tasks of the system as well: a
// call takes part in its own work, and waits only for pieces that others have begun. After a
// shutdown of the system the caller does all.
//
// # Cost
//
// A parallel call allocates two closures or so, and its tiles nothing in the steady state.
type BLAS struct {
	gonum.Implementation

	sys         *taskgraph.System
	min, shared thresholds // for tiles, and for more than one worker

	// What a piece costs, by the logarithm of the operations in it: the loops here share their
	// bodies, and their pieces are from microseconds to milliseconds long.
	sites [64]taskgraph.LoopSite
}

// thresholds say how many multiplications, or elements of a matrix, a call must have.
type thresholds struct{ gemm, syrk, trsm, gemv, gemvT int }

// least and measured are where cmd/compare found tiles to be faster than gonum, on the caller alone
// and with two workers.
var (
	least = thresholds{
		gemm: 32 * 32 * 32,
		syrk: 48 * 48 * 48,
		trsm: 48 * 48 * 48,
	}
	measured = thresholds{
		gemm:  128 * 128 * 128,
		syrk:  160 * 160 * 160,
		trsm:  192 * 192 * 192,
		gemv:  1 << 19,
		gemvT: 1 << 20, // its pieces are columns of the matrix, which lie apart
	}
)

var _ blas.Float64 = (*BLAS)(nil)

// New returns a BLAS that works on sys. It panics if sys is nil.
func New(sys *taskgraph.System) *BLAS {
	if sys == nil {
		panic("tileblas: nil System")
	}
	return &BLAS{sys: sys, min: least, shared: measured}
}

// System returns the system that b works on.
func (b *BLAS) System() *taskgraph.System { return b.sys }

// each calls f for the numbers below n, in parallel if that is to be shared; ops is how many
// operations a call takes.
func (b *BLAS) each(shared bool, n, ops int, f func(s *tile.Space, i int)) {
	if !shared {
		s := tile.GetSpace()
		defer tile.PutSpace(s)
		for i := range n {
			f(s, i)
		}
		return
	}
	err := b.sys.RunLoop(taskgraph.Loop{
		N:     n,
		Grain: 1,
		Site:  &b.sites[bits.Len(uint(ops))],
		Body: func(_ *taskgraph.Participant, lo, hi int) error {
			s := tile.GetSpace()
			defer tile.PutSpace(s)
			for i := lo; i < hi; i++ {
				f(s, i)
			}
			return nil
		},
	})
	if err != nil {
		panic(err) // a *graphevent.PanicError: f does not fail
	}
}

func isTranspose(t blas.Transpose) bool {
	return t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans
}

// isMatrix reports whether a has rows and columns as gonum demands it.
func isMatrix(rows, cols int, a []float64, lda int) bool {
	return lda >= cols && len(a) >= (rows-1)*lda+cols
}

// pieces returns how many pieces of the given size cover n.
func pieces(n, size int) int { return (n + size - 1) / size }
