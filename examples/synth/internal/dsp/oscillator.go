package dsp

// An Oscillator makes waves with edges. Sampled as they are, the overtones above half the Rate
// would come back as tones that do not belong there; so two samples beside each edge are bent by a
// polynomial, which takes most of them away. The zero Oscillator is ready.
//
// After Välimäki and Huovilainen, "Antialiasing Oscillators in Subtractive Synthesis", IEEE Signal
// Processing Magazine, 2007 (PolyBLEP).
type Oscillator struct {
	phase float32 // from 0 to 1
}

// Seek sets where in its wave the oscillator is, from 0 to 1.
func (o *Oscillator) Seek(phase float32) { o.phase = phase }

// AddSaw adds a falling and jumping wave of so many Hz.
func (o *Oscillator) AddSaw(out *Buffer, freq, gain float32) {
	p, step := o.phase, freq/Rate
	inv := 1 / step
	for i := range out {
		out[i] += gain * (1 - 2*p + edge(p, step, inv))
		if p += step; p >= 1 {
			p--
		}
	}
	o.phase = p
}

// AddPulse adds a wave that is high for a part of its period, width, and low for the rest.
func (o *Oscillator) AddPulse(out *Buffer, freq, width, gain float32) {
	p, step := o.phase, freq/Rate
	inv := 1 / step
	for i := range out {
		q := p - width
		x := float32(-1)
		if q < 0 {
			x, q = 1, q+1
		}
		out[i] += gain * (x + edge(p, step, inv) - edge(q, step, inv))
		if p += step; p >= 1 {
			p--
		}
	}
	o.phase = p
}

// edge is what rounds a jump by 2 upwards at phase 0.
func edge(p, step, inv float32) float32 {
	switch {
	case p < step:
		t := p*inv - 1
		return -t * t
	case p > 1-step:
		t := (p-1)*inv + 1
		return t * t
	}
	return 0
}
