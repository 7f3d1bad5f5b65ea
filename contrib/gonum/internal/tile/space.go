package tile

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// Block is the side of the blocks that kernels work on. It is the one that gonum cuts products
// into, so that sums are made in the same order as there.
const Block = 64

var (
	kernel blasgonum.Implementation
	factor lapackgonum.Implementation
)

// A Space is the buffers that a step needs. One goroutine at a time may use it.
type Space struct {
	a [Block * Block]float64 // transposed rows of the left factor
	b [Block * Block]float64 // a block of the right factor
	d [Block * Block]float64 // a block of the diagonal
	w [Block * Block]float64 // a block that is solved for

	panel []float64 // columns of a matrix that is factored as one panel
}

var spaces = sync.Pool{New: func() any { return new(Space) }}

// GetSpace returns a Space that nobody else uses. It allocates 128 KiB if none has been put back.
func GetSpace() *Space { return spaces.Get().(*Space) }

// PutSpace gives s back.
func PutSpace(s *Space) { spaces.Put(s) }

// Copy copies m rows of n elements.
func Copy(dst []float64, ldd int, src []float64, lds, m, n int) {
	for i := range m {
		copy(dst[i*ldd:i*ldd+n], src[i*lds:i*lds+n])
	}
}

// transposeBlock copies the n x m block src into dst, as m rows of n elements.
func transposeBlock(dst []float64, ldd int, src []float64, lds, m, n int) {
	const at = 8 // rows of src, a line of the cache in each row of dst
	j := 0
	for ; j+at <= n; j += at {
		r0, r1 := src[j*lds:][:m], src[(j+1)*lds:][:m]
		r2, r3 := src[(j+2)*lds:][:m], src[(j+3)*lds:][:m]
		r4, r5 := src[(j+4)*lds:][:m], src[(j+5)*lds:][:m]
		r6, r7 := src[(j+6)*lds:][:m], src[(j+7)*lds:][:m]
		for i := range m {
			to := dst[i*ldd+j:][:at]
			to[0], to[1], to[2], to[3] = r0[i], r1[i], r2[i], r3[i]
			to[4], to[5], to[6], to[7] = r4[i], r5[i], r6[i], r7[i]
		}
	}
	for ; j < n; j++ {
		for i, v := range src[j*lds:][:m] {
			dst[i*ldd+j] = v
		}
	}
}

func transpose(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}

func uplo(upper bool) blas.Uplo {
	if upper {
		return blas.Upper
	}
	return blas.Lower
}

func diag(unit bool) blas.Diag {
	if unit {
		return blas.Unit
	}
	return blas.NonUnit
}

// pieces returns how many pieces of the given size cover n.
func pieces(n, size int) int { return (n + size - 1) / size }
