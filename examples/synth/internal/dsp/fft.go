package dsp

import (
	"math"
	"math/bits"
)

// A Spectrum is the frequencies 0 to n/2 of n real samples: real and imaginary parts.
type Spectrum struct {
	re, im []float32
}

// NewSpectrum returns one for n samples.
func NewSpectrum(n int) Spectrum {
	all := make([]float32, 2*(n/2+1))
	return Spectrum{all[: n/2+1 : n/2+1], all[n/2+1:]}
}

// Clear makes it zero.
func (s *Spectrum) Clear() {
	clear(s.re)
	clear(s.im)
}

// Add adds another one.
func (s *Spectrum) Add(t *Spectrum) {
	re, im := t.re[:len(s.re)], t.im[:len(s.im)]
	for i := range s.re {
		s.re[i] += re[i]
	}
	for i := range s.im {
		s.im[i] += im[i]
	}
}

// AddProduct adds the product of two: the spectrum of the two convolved with each other.
func (s *Spectrum) AddProduct(a, b *Spectrum) {
	n := len(s.re)
	re, im, ar, ai, br, bi := s.re[:n], s.im[:n], a.re[:n], a.im[:n], b.re[:n], b.im[:n]
	for i := range re {
		re[i] += ar[i]*br[i] - ai[i]*bi[i]
		im[i] += ar[i]*bi[i] + ai[i]*br[i]
	}
}

// An FFT is the discrete Fourier transform of n real samples, n a power of two and 4 at least: a
// complex one of half the size, radix 2, whose halves are told apart afterwards. Its tables do not
// change, so any number of goroutines may use it at once.
//
// After Cooley and Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series",
// 1965.
type FFT struct {
	n        int
	cos, sin []float32 // of turns k/n, k below n/2
}

// NewFFT returns one for n samples.
func NewFFT(n int) *FFT {
	if n < 4 || n&(n-1) != 0 {
		panic("dsp: NewFFT: want a power of two of 4 or more")
	}
	f := &FFT{n, make([]float32, n/2), make([]float32, n/2)}
	for k := range f.cos {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		f.cos[k], f.sin[k] = float32(cos), float32(sin)
	}
	return f
}

// Forward sets out to the spectrum of n samples.
func (f *FFT) Forward(out *Spectrum, x []float32) {
	h := f.n / 2
	shift := 64 - uint(bits.TrailingZeros(uint(h)))
	for i := range h {
		j := int(bits.Reverse64(uint64(i)) >> shift)
		out.re[j], out.im[j] = x[2*i], x[2*i+1]
	}
	f.butterflies(out.re[:h], out.im[:h], -1)

	// Even samples were the real parts and odd ones the imaginary parts. The spectrum of reals is
	// its own mirror image, so that of each half follows from both sides.
	r0, i0 := out.re[0], out.im[0]
	out.re[0], out.im[0], out.re[h], out.im[h] = r0+i0, 0, r0-i0, 0
	for k := 1; k <= h/2; k++ {
		evenRe, evenIm := (out.re[k]+out.re[h-k])/2, (out.im[k]-out.im[h-k])/2
		oddRe, oddIm := (out.im[k]+out.im[h-k])/2, (out.re[h-k]-out.re[k])/2
		c, s := f.cos[k], -f.sin[k]
		tr, ti := c*oddRe-s*oddIm, c*oddIm+s*oddRe
		out.re[k], out.im[k] = evenRe+tr, evenIm+ti
		out.re[h-k], out.im[h-k] = evenRe-tr, ti-evenIm
	}
}

// Inverse sets x to the n samples whose spectrum is given. It uses that up.
func (f *FFT) Inverse(x []float32, in *Spectrum) {
	h := f.n / 2
	r0, rh := in.re[0], in.re[h]
	in.re[0], in.im[0] = (r0+rh)/2, (r0-rh)/2
	for k := 1; k <= h/2; k++ {
		evenRe, evenIm := (in.re[k]+in.re[h-k])/2, (in.im[k]-in.im[h-k])/2
		dr, di := (in.re[k]-in.re[h-k])/2, (in.im[k]+in.im[h-k])/2
		c, s := f.cos[k], f.sin[k]
		oddRe, oddIm := c*dr-s*di, c*di+s*dr
		in.re[k], in.im[k] = evenRe-oddIm, evenIm+oddRe
		in.re[h-k], in.im[h-k] = evenRe+oddIm, oddRe-evenIm
	}
	re, im := in.re[:h], in.im[:h]
	shift := 64 - uint(bits.TrailingZeros(uint(h)))
	for i := range h {
		if j := int(bits.Reverse64(uint64(i)) >> shift); i < j {
			re[i], re[j], im[i], im[j] = re[j], re[i], im[j], im[i]
		}
	}
	f.butterflies(re, im, 1)
	scale := 1 / float32(h)
	for i := range h {
		x[2*i], x[2*i+1] = re[i]*scale, im[i]*scale
	}
}

// butterflies transforms what is in the order of reversed bits. The sign is that of the exponent.
func (f *FFT) butterflies(re, im []float32, sign float32) {
	h := len(re)
	for half := 1; half < h; half *= 2 {
		stride := f.n / (2 * half)
		for k := range half {
			c, s := f.cos[k*stride], sign*f.sin[k*stride]
			for a := k; a < h; a += 2 * half {
				b := a + half
				tr, ti := c*re[b]-s*im[b], c*im[b]+s*re[b]
				re[a], re[b] = re[a]+tr, re[a]-tr
				im[a], im[b] = im[a]+ti, im[a]-ti
			}
		}
	}
}
