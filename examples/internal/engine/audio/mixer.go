package audio

import (
	"math"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// Rate is the number of samples a second in each ear.
const Rate = 48000

// A Mixer turns scores into blocks. It keeps what each voice has to go on from.
type Mixer struct {
	samples int // a block
	voices  []voice
	sound   []float32    // samples for each voice, before its gains
	gain    [][4]float32 // left and right at the block's start and end
	out     []float32    // left and right by turns
}

// A voice is the state of one voice between blocks.
type voice struct {
	phase       float64 // of Hum, in turns
	pitch       float32
	left, right float32
	low, band   float32       // of the filter of Rumble
	ring        [3][2]float32 // of Knock: the last two samples of each mode
	noise       uint64
}

// New returns a mixer of so many voices for blocks of Rate/fps samples. fps must divide Rate.
func New(voices, fps int) *Mixer {
	if voices < 0 || fps <= 0 || Rate%fps != 0 {
		panic("audio: New: a block must have a whole number of samples")
	}
	n := Rate / fps
	m := &Mixer{
		samples: n, voices: make([]voice, voices), sound: make([]float32, voices*n),
		gain: make([][4]float32, voices), out: make([]float32, 2*n),
	}
	for v := range m.voices {
		m.reset(v)
	}
	return m
}

// reset makes voice v begin anew, in silence.
func (m *Mixer) reset(v int) {
	r := vec.RandAt(0, uint64(v), 0)
	m.voices[v] = voice{noise: r.Uint64()}
}

// Samples returns the number of samples in a block, in each ear.
func (m *Mixer) Samples() int { return m.samples }

// Out returns the block mixed last, left and right by turns, within -1..1.
func (m *Mixer) Out() []float32 { return m.out }

// Voices computes the voices [lo, hi) for the next block. A score that is too short leaves the
// others silent.
func (m *Mixer) Voices(s Score, lo, hi int) {
	for v := lo; v < hi; v++ {
		var n Note
		if v < len(s) {
			n = s[v]
		}
		if n.New {
			m.reset(v)
		}
		vo := &m.voices[v]
		m.gain[v] = [4]float32{vo.left, vo.right, n.Left, n.Right}
		vo.left, vo.right = n.Left, n.Right
		if m.gain[v] == ([4]float32{}) && n.Hit == 0 {
			vo.pitch = n.Pitch
			continue
		}
		if vo.pitch == 0 {
			vo.pitch = n.Pitch
		}
		out := m.sound[v*m.samples : (v+1)*m.samples]
		switch n.Sound {
		case Rumble:
			vo.rumble(out, n.Pitch)
		case Knock:
			vo.knock(out, n.Pitch, n.Hit)
		default:
			vo.hum(out, n.Pitch)
		}
		vo.pitch = n.Pitch
	}
}

func (v *voice) hum(out []float32, pitch float32) {
	step := (pitch - v.pitch) / float32(len(out))
	p := v.pitch
	for i := range out {
		v.phase += float64(p) / Rate
		v.phase -= math.Floor(v.phase)
		x := float32(v.phase)
		out[i] = float32(0.7*wave(x)) + float32(0.2*wave(2*x)) + float32(0.1*wave(3*x))
		p += step
	}
}

// wave returns about the sine of x turns, x not negative: two parabolas.
func wave(x float32) float32 {
	x -= vec.Floor(x)
	if x < 0.5 {
		return float32(16*x) * (0.5 - x)
	}
	x -= 0.5
	return float32(-16*x) * (0.5 - x)
}

func (v *voice) rumble(out []float32, pitch float32) {
	f := 2 * vec.Sin(vec.Pi*min(pitch, 6000)/Rate) // Chamberlin's state variable filter
	for i := range out {
		v.noise = v.noise*6364136223846793005 + 1442695040888963407
		white := float32(int32(v.noise>>32)) / (1 << 31)
		v.low += float32(f * v.band)
		high := white - v.low - float32(0.5*v.band)
		v.band += float32(f * high)
		out[i] = v.band
	}
}

func (v *voice) knock(out []float32, pitch, hit float32) {
	modes := [3]float32{1, 2.76, 5.4} // of a bar that is free at its ends
	loss := [3]float32{0.9995, 0.999, 0.998}
	var c [3]float32
	for k := range modes {
		c[k] = 2 * loss[k] * vec.Cos(2*vec.Pi*min(pitch*modes[k], 20000)/Rate)
		v.ring[k][0] += float32(hit*0.3) / float32(k+1) * vec.Sin(2*vec.Pi*min(pitch*modes[k],
			20000)/Rate)
	}
	for i := range out {
		var sum float32
		for k := range v.ring {
			r := &v.ring[k]
			y := float32(c[k]*r[0]) - float32(loss[k]*loss[k]*r[1])
			r[1], r[0] = r[0], y
			sum += y
		}
		out[i] = sum
	}
	for k := range v.ring { // what nobody can hear ends, before it gets slow to compute with
		if r := &v.ring[k]; vec.Abs(r[0])+vec.Abs(r[1]) < 1e-9 {
			*r = [2]float32{}
		}
	}
}

// Mix adds up the samples [lo, hi) of all voices, in the order of the voices.
func (m *Mixer) Mix(lo, hi int) {
	for i := lo; i < hi; i++ {
		t := float32(i) / float32(m.samples)
		var l, r float32
		for v := range m.gain {
			g := &m.gain[v]
			if *g == ([4]float32{}) {
				continue
			}
			x := m.sound[v*m.samples+i]
			l += float32(x * vec.Lerp(g[0], g[2], t))
			r += float32(x * vec.Lerp(g[1], g[3], t))
		}
		m.out[2*i], m.out[2*i+1] = soft(l), soft(r)
	}
}

// soft bends what is loud to within -1..1.
func soft(x float32) float32 { return x / (1 + vec.Abs(x)) }

// Digest returns h after the block mixed last.
func (m *Mixer) Digest(h vec.Hash) vec.Hash { return h.Floats(m.out) }
