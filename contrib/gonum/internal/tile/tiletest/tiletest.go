// Package tiletest draws matrices for tests, and compares them.
package tiletest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"pgregory.net/rapid"
)

// A Dense is a row-major matrix with gaps between its rows, in which nobody may write.
type Dense struct {
	Rows, Cols, Stride int
	Data               []float64
}

// Size draws a dimension: often none, one, or one next to a multiple of a block.
func Size(t *rapid.T, name string) int {
	return rapid.OneOf(
		rapid.IntRange(0, 3),
		rapid.SampledFrom([]int{63, 64, 65, 127, 128, 129, 192, 193, 256, 257, 300}),
		rapid.IntRange(4, 330),
	).Draw(t, name)
}

// Scalar draws a factor: 0, 1 and -1 among others.
func Scalar(t *rapid.T, name string) float64 {
	return rapid.SampledFrom([]float64{0, 1, -1, 0.75, -3.5}).Draw(t, name)
}

// Increment draws the distance of the elements of a vector.
func Increment(t *rapid.T, name string) int {
	return rapid.SampledFrom([]int{1, -1, 2, -3}).Draw(t, name)
}

// Transpose draws one.
func Transpose(t *rapid.T, name string) blas.Transpose {
	return rapid.SampledFrom([]blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}).
		Draw(t, name)
}

// Uplo draws one.
func Uplo(t *rapid.T, name string) blas.Uplo {
	return rapid.SampledFrom([]blas.Uplo{blas.Upper, blas.Lower}).Draw(t, name)
}

// Shape returns the rows and columns of a where op(a) has those given.
func Shape(op blas.Transpose, rows, cols int) (int, int) {
	if op == blas.NoTrans {
		return rows, cols
	}
	return cols, rows
}

// Matrix draws a matrix of elements between -1 and 1, with a few zeros.
func Matrix(t *rapid.T, name string, rows, cols int) Dense {
	gap := rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(t, name+" gap")
	return Random(rapid.Uint64().Draw(t, name), rows, cols, max(1, cols)+gap)
}

// Random returns the matrix of a seed.
func Random(seed uint64, rows, cols, stride int) Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := Dense{rows, cols, stride, make([]float64, rows*stride)}
	for i := range d.Data {
		if d.Data[i] = 2*rng.Float64() - 1; rng.IntN(50) == 0 {
			d.Data[i] = 0
		}
	}
	return d
}

// Poison puts a few NaN, Inf, zeros and the like into d, in half of the cases.
func (d Dense) Poison(t *rapid.T) {
	if len(d.Data) == 0 || rapid.Bool().Draw(t, "clean") {
		return
	}
	strange := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324}
	for range rapid.IntRange(1, 4).Draw(t, "strange") {
		at := rapid.IntRange(0, len(d.Data)-1).Draw(t, "at")
		d.Data[at] = rapid.SampledFrom(strange).Draw(t, "value")
	}
}

// Dominant makes a triangle of d one that can be solved with: also with a diagonal of ones, no
// element of the solution is huge.
func (d Dense) Dominant() {
	for i := range d.Rows {
		for j := range d.Cols {
			d.Data[i*d.Stride+j] /= float64(d.Cols)
		}
		d.Data[i*d.Stride+i] += 2
	}
}

// At returns an element.
func (d Dense) At(i, j int) float64 { return d.Data[i*d.Stride+j] }

// Clone returns a copy.
func (d Dense) Clone() Dense {
	d.Data = slices.Clone(d.Data)
	return d
}

// Abs returns a copy with absolute values.
func (d Dense) Abs() Dense {
	d = d.Clone()
	for i, v := range d.Data {
		d.Data[i] = math.Abs(v)
	}
	return d
}

// EqualGaps requires that nothing between the rows has changed.
func (d Dense) EqualGaps(t require.TestingT, before Dense) {
	for i := range d.Rows {
		for j := d.Cols; j < d.Stride; j++ {
			require.Equal(t, before.At(i, j), d.At(i, j), "the gap after row %d", i)
		}
	}
}

// EqualBits requires that all bits are the same, the gaps included; any NaN is as good as another.
func EqualBits(t require.TestingT, want, got Dense) {
	for i, w := range want.Data {
		g := got.Data[i]
		if math.Float64bits(w) != math.Float64bits(g) && !(math.IsNaN(w) && math.IsNaN(g)) {
			require.Equal(t, w, g, "row %d, column %d", i/want.Stride, i%want.Stride)
			require.Equal(t, math.Signbit(w), math.Signbit(g))
		}
	}
}

// Kind says what a number is: finite, NaN, or one of the infinities.
func Kind(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return "finite"
}

// Gamma returns n u / (1 - n u), the bound of the relative error of n operations.
func Gamma(n int) float64 {
	const u = 1.0 / (1 << 53)
	return float64(n) * u / (1 - float64(n)*u)
}
