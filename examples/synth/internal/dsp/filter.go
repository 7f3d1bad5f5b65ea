package dsp

import "math"

// A Filter takes away what is above or below a frequency, by 12 dB an octave, and brings out what
// is near it. The zero Filter is ready. The frequency may change with each block.
//
// After Simper, "Solving the continuous SVF equations using trapezoidal integration and equivalent
// currents", 2013.
type Filter struct {
	band, low float32
}

// coefficients are those of a block, for a frequency in Hz and a quality of 0.5 (dull) or more.
func coefficients(freq, quality float32) (a1, a2, a3, k float32) {
	g := float32(math.Tan(math.Pi * math.Min(float64(freq), 0.45*Rate) / Rate))
	k = 1 / quality
	a1 = 1 / (1 + g*(g+k))
	a2 = g * a1
	return a1, a2, g * a2, k
}

// LowPass leaves what is below the frequency.
func (f *Filter) LowPass(b *Buffer, freq, quality float32) {
	a1, a2, a3, _ := coefficients(freq, quality)
	band, low := f.band, f.low
	for i, x := range b {
		v := x - low
		v1 := a1*band + a2*v
		v2 := low + a2*band + a3*v
		band, low = 2*v1-band, 2*v2-low
		b[i] = v2
	}
	f.band, f.low = flush(band), flush(low)
}

// HighPass leaves what is above the frequency.
func (f *Filter) HighPass(b *Buffer, freq, quality float32) {
	a1, a2, a3, k := coefficients(freq, quality)
	band, low := f.band, f.low
	for i, x := range b {
		v := x - low
		v1 := a1*band + a2*v
		v2 := low + a2*band + a3*v
		band, low = 2*v1-band, 2*v2-low
		b[i] = x - k*v1 - v2
	}
	f.band, f.low = flush(band), flush(low)
}
