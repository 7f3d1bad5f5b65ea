package orchestra

import (
	"math"
	"sort"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
)

// A cue is a note as a voice gets it: from which block on and for how many.
type cue struct {
	block, blocks int
	hz            float32
}

// A voice plays one note at a time. Its output is what a block of it sounds like, unless it is
// silent.
type voice struct {
	patch *patch
	cues  []cue
	next  int // cue
	left  int // blocks until the note ends

	hz, detune   float32
	sway         float64 // of the vibrato, in turns
	oscillators  [3]dsp.Oscillator
	loud, bright dsp.Envelope
	filter       dsp.Filter

	gains  [2]float32 // left and right
	out    dsp.Buffer
	silent bool
}

// newVoice returns a voice. Those that play the same notes have a detune, in cents, and a number of
// their own.
func newVoice(p *patch, cues []cue, number int, cents, pan, gain float64) *voice {
	v := &voice{
		patch: p, cues: cues, hz: 440, detune: ratio(cents), silent: true,
		loud: dsp.NewEnvelope(p.loud), bright: dsp.NewEnvelope(p.bright),
	}
	golden := func(k int) float64 { // numbers between 0 and 1 that are all far from each other
		_, x := math.Modf(float64(k) * (math.Sqrt(5) - 1) / 2)
		return x
	}
	v.sway = golden(number)
	for i := range v.oscillators {
		v.oscillators[i].Seek(float32(golden(3*number + i)))
	}
	angle := (pan + 1) * math.Pi / 4
	v.gains = [2]float32{float32(gain * math.Cos(angle)), float32(gain * math.Sin(angle))}
	return v
}

// ratio returns what a number of cents multiplies a frequency by.
func ratio(cents float64) float32 { return float32(math.Exp2(cents / 1200)) }

// seek makes the first cue from a block on the next one.
func (v *voice) seek(block int) {
	v.next = sort.Search(len(v.cues), func(i int) bool { return v.cues[i].block >= block })
}

// catchUp puts the voice into the state that it has before a block, to which seek went, if it has
// played the last note before that block. It computes no sound.
func (v *voice) catchUp(block int) {
	if v.next == 0 {
		return
	}
	c := v.cues[v.next-1]
	v.hz, v.left = c.hz*v.detune, max(0, c.block+c.blocks-block+1)
	for _, e := range []*dsp.Envelope{&v.loud, &v.bright} {
		e.Press()
		for b := c.block; b < block; b++ {
			if b == c.block+c.blocks {
				e.Let()
			}
			e.Advance()
		}
	}
}

// vibratoHz is how often a vibrato goes up and down in a second.
const vibratoHz = 5.5

// play makes the voice's sound of a block.
func (v *voice) play(block int) {
	switch {
	case v.next < len(v.cues) && v.cues[v.next].block == block:
		c := v.cues[v.next]
		v.next++
		v.hz, v.left = c.hz*v.detune, c.blocks
		v.loud.Press()
		v.bright.Press()
	case v.left > 0:
		if v.left--; v.left == 0 {
			v.loud.Let()
			v.bright.Let()
		}
	}
	if v.silent = v.loud.Silent(); v.silent {
		return
	}
	p := v.patch
	hz := v.hz
	if p.vibrato > 0 {
		_, v.sway = math.Modf(v.sway + vibratoHz*dsp.Block/dsp.Rate)
		hz *= 1 + p.vibrato*float32(math.Sin(2*math.Pi*v.sway))*(math.Ln2/1200)
	}
	v.out = dsp.Buffer{}
	for i := range p.waves {
		w, o := &p.waves[i], &v.oscillators[i]
		at := hz * (1 + w.cents*(math.Ln2/1200))
		if w.pulse > 0 {
			o.AddPulse(&v.out, at, w.pulse, w.gain)
		} else {
			o.AddSaw(&v.out, at, w.gain)
		}
	}
	_, bright := v.bright.Advance()
	v.filter.LowPass(&v.out, p.cutoff+hz*(p.follow+p.sweep*bright), p.quality)
	gain, to := v.loud.Advance()
	step := (to - gain) / dsp.Block
	for i, x := range v.out {
		gain += step
		v.out[i] = x * gain
	}
}
