package dsp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func noise(seed uint64, n int) []float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.Float64()*2 - 1)
	}
	return x
}

// The transform is the sum that defines it, and its inverse undoes it.
func TestFFTIsTheDiscreteFourierTransform(t *testing.T) {
	for _, n := range []int{4, 8, 128, 512} {
		x := noise(uint64(n), n)
		s := NewSpectrum(n)
		f := NewFFT(n)
		f.Forward(&s, x)
		for k := 0; k <= n/2; k++ {
			var re, im float64
			for i, v := range x {
				sin, cos := math.Sincos(2 * math.Pi * float64(i*k%n) / float64(n))
				re += float64(v) * cos
				im -= float64(v) * sin
			}
			require.InDelta(t, re, s.re[k], 1e-6*float64(n), "%d: real part of %d", n, k)
			require.InDelta(t, im, s.im[k], 1e-6*float64(n), "%d: imaginary part of %d", n, k)
		}
		y := make([]float32, n)
		f.Inverse(y, &s)
		for i := range x {
			require.InDelta(t, x[i], y[i], 1e-5, "%d: sample %d", n, i)
		}
	}
	require.Panics(t, func() { NewFFT(12) })
	require.Panics(t, func() { NewFFT(2) })
}

// Blocks and tail together are the convolution with the whole response, sample by sample.
func TestConvolverConvolves(t *testing.T) {
	response := noise(1, Lead+5*Chunk+100)
	x := noise(2, 9*Chunk)
	for i := Chunk; i < len(x); i++ {
		x[i] = 0 // the naive sum has fewer terms
	}
	c := NewConvolver(response)
	var got []float32
	for b := 0; b < len(x)/Block; b++ {
		c.Past()
		c.Process((*Buffer)(x[b*Block:]))
		got = append(got, c.Heard()[:]...)
		if chunk, last := b/ChunkBlocks, b%ChunkBlocks == ChunkBlocks-1; last {
			c.Tail().Forward(chunk)
			for p := range TailPieces {
				c.Tail().Multiply(TailPieces - 1 - p)
			}
			c.Tail().Inverse(chunk)
		}
	}
	for n := 0; n < len(x); n += 7 {
		want := 0.0
		for i := max(0, n-len(response)+1); i < min(Chunk, n+1); i++ {
			want += float64(x[i]) * float64(response[n-i])
		}
		require.InDelta(t, want, got[n], 2e-3, "sample %d", n)
	}
}

// amplitude returns how strong a frequency is in a sound.
func amplitude(x []float32, hz float64) float64 {
	var re, im float64
	for i, v := range x {
		window := 1 - math.Cos(2*math.Pi*float64(i)/float64(len(x)))
		sin, cos := math.Sincos(2 * math.Pi * hz * float64(i) / Rate)
		re += float64(v) * window * cos
		im += float64(v) * window * sin
	}
	return 2 * math.Hypot(re, im) / float64(len(x))
}

// What the edges of a wave would mirror into the range that is heard is less than a tenth of what
// it is without care.
func TestOscillatorsHardlyAlias(t *testing.T) {
	const hz = 2093.0 // high, and no divisor of the rate
	const n = 1 << 14
	waves := map[string]struct {
		add   func(o *Oscillator, b *Buffer)
		naive func(phase float64) float64
	}{
		"saw": {func(o *Oscillator, b *Buffer) { o.AddSaw(b, hz, 1) }, func(p float64) float64 {
			return 1 - 2*p
		}},
		"pulse": {func(o *Oscillator, b *Buffer) { o.AddPulse(b, hz, 0.3, 1) },
			func(p float64) float64 { return math.Copysign(1, 0.3-p) }},
	}
	for name, w := range waves {
		var o Oscillator
		var clean, naive []float32
		for i := 0; i < n; i += Block {
			var b Buffer
			w.add(&o, &b)
			clean = append(clean, b[:]...)
			for k := range Block {
				_, p := math.Modf(float64(i+k) * hz / Rate)
				naive = append(naive, float32(w.naive(p)))
			}
		}
		require.InEpsilon(t, amplitude(naive, hz), amplitude(clean, hz), 0.05,
			"%s: the tone itself", name)
		with, without := 0.0, 0.0
		for h := 12.0; h*hz < 1.3*Rate; h++ { // overtones above half the rate
			mirrored := math.Abs(h*hz - math.Round(h*hz/Rate)*Rate)
			if mirrored > 8000 || math.Abs(mirrored-math.Round(mirrored/hz)*hz) < 100 {
				continue
			}
			with += amplitude(clean, mirrored)
			without += amplitude(naive, mirrored)
		}
		require.Greater(t, without, 0.01, "%s: there is something to be taken away", name)
		require.Less(t, with, without/10, name)
	}
}

// A filter leaves what it should, and takes the rest by 12 dB an octave.
func TestFilters(t *testing.T) {
	gain := func(hz float64, process func(*Filter, *Buffer)) float64 {
		var f Filter
		var in, out []float32
		for i := 0; i < 1<<14; i += Block {
			var b Buffer
			for k := range b {
				b[k] = float32(math.Sin(2 * math.Pi * hz * float64(i+k) / Rate))
			}
			in = append(in, b[:]...)
			process(&f, &b)
			out = append(out, b[:]...)
		}
		return amplitude(out[1<<13:], hz) / amplitude(in[1<<13:], hz)
	}
	low := func(f *Filter, b *Buffer) { f.LowPass(b, 1000, 0.7) }
	high := func(f *Filter, b *Buffer) { f.HighPass(b, 1000, 0.7) }
	require.InDelta(t, 1, gain(100, low), 0.02)
	require.InDelta(t, 0.7, gain(1000, low), 0.02)
	require.InDelta(t, 1.0/16, gain(4000, low), 0.02)
	require.InDelta(t, 1, gain(8000, high), 0.02)
	require.InDelta(t, 1.0/16, gain(250, high), 0.02)
}

// A note rises, is held, and ends in silence.
func TestEnvelope(t *testing.T) {
	e := NewEnvelope(Shape{Attack: 0.01, Decay: 0.05, Sustain: 0.5, Release: 0.05})
	blocks := func(seconds float64) (level float32) {
		for range int(seconds * Rate / Block) {
			_, level = e.Advance()
		}
		return level
	}
	require.True(t, e.Silent())
	require.Zero(t, blocks(0.1))
	e.Press()
	require.InDelta(t, 0.5, blocks(0.005), 0.1)
	require.Greater(t, blocks(0.006), float32(0.8))
	require.InDelta(t, 0.5, blocks(0.5), 0.01)
	e.Let()
	require.InDelta(t, 0.5/math.E, blocks(0.05), 0.02)
	require.Zero(t, blocks(1))
	require.True(t, e.Silent())
}

// A clap comes back from both sides by turns, ever softer.
func TestEcho(t *testing.T) {
	e := NewEcho(0.01, 0.5, 1)
	var left, right []float32
	for i := range 40 {
		var s Stereo
		if i == 0 {
			s[0][0] = 1
		}
		e.Process(&s)
		left, right = append(left, s[0][:]...), append(right, s[1][:]...)
	}
	around := func(x []float32, seconds float64) (sum float32) {
		at := int(seconds * Rate)
		for _, v := range x[at-2 : at+20] {
			sum += v
		}
		return sum
	}
	require.InDelta(t, 1, around(left, 0.01), 1e-3)
	require.InDelta(t, 0, around(right, 0.01), 1e-3)
	require.InDelta(t, 0.5, around(right, 0.02), 1e-3)
	require.InDelta(t, 0, around(left, 0.02), 1e-3)
	require.InDelta(t, 0.25, around(left, 0.03), 1e-3)
}

// A chorus smears a tone over the frequencies beside it.
func TestChorus(t *testing.T) {
	c := NewChorus(5, 0.002, 0.7)
	var in, out []float32
	for i := 0; i < 1<<16; i += Block {
		var s Stereo
		for k := range Block {
			s[0][k] = float32(math.Sin(2 * math.Pi * 1000 * float64(i+k) / Rate))
		}
		in = append(in, s[0][:]...)
		c.Process(&s)
		out = append(out, s[0][:]...)
	}
	in, out = in[1<<15:], out[1<<15:]
	beside := func(x []float32) float64 { return amplitude(x, 1010) + amplitude(x, 990) }
	require.Less(t, beside(in), 2e-3)
	require.Greater(t, beside(out), 0.1)
}

// Two ears hear two halls, of the same loudness, that fade.
func TestHall(t *testing.T) {
	a, b := Hall(1, 1), Hall(1, 2)
	energy := func(x []float32) (sum float64) {
		for _, v := range x {
			sum += float64(v) * float64(v)
		}
		return sum
	}
	require.Greater(t, len(a), Lead)
	require.InDelta(t, 1, energy(a), 1e-5)
	require.InDelta(t, 1, energy(b), 1e-5)
	require.NotEqual(t, a, b)
	require.Equal(t, a, Hall(1, 1))
	require.Less(t, energy(a[Rate/2:]), 0.01)
	require.Less(t, energy(a[Rate:])/energy(a[:Rate/10]), 1e-5)
}
