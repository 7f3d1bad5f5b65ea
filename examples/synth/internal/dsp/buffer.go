package dsp

const (
	// Rate is the number of samples a second.
	Rate = 48000
	// Block is the number of samples in a Buffer.
	Block = 64
)

// A Buffer is a block of one channel.
type Buffer [Block]float32

// A Stereo is a block of two channels, left and right.
type Stereo [2]Buffer

// Add adds a block, each channel with a gain of its own.
func (s *Stereo) Add(b *Buffer, left, right float32) {
	l, r := &s[0], &s[1]
	for i, x := range b {
		l[i] += x * left
		r[i] += x * right
	}
}

// AddStereo adds another one.
func (s *Stereo) AddStereo(t *Stereo, gain float32) {
	for c := range s {
		out, in := &s[c], &t[c]
		for i, x := range in {
			out[i] += x * gain
		}
	}
}

// quiet is what cannot be heard. A state that falls below it becomes zero, since computing with
// ever smaller numbers becomes very slow in the end.
const quiet = 1e-15

// flush returns x, or 0 if that is quiet.
func flush(x float32) float32 {
	if x < quiet && x > -quiet {
		return 0
	}
	return x
}
