package orchestra

import (
	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
)

// A patch is how a voice sounds.
type patch struct {
	waves   [3]wave
	loud    dsp.Shape // of the gain
	bright  dsp.Shape // of the filter's frequency
	cutoff  float32   // of the filter, in Hz, besides what follows
	follow  float32   // as a multiple of the note's frequency
	sweep   float32   // as a multiple of it, at the top of bright
	quality float32   // of the filter
	vibrato float32   // cents to each side
	gain    float32
	send    float32 // to the hall
}

// A wave is one oscillator of a voice.
type wave struct {
	pulse float32 // the part of a period that a pulse is high; 0: a saw
	cents float32 // off the note
	gain  float32
}

var patches = [...]patch{
	score.Strings: {
		waves:  [3]wave{{cents: -4, gain: 0.4}, {cents: 3, gain: 0.4}, {pulse: 0.4, gain: 0.2}},
		loud:   dsp.Shape{Attack: 0.03, Decay: 0.3, Sustain: 0.8, Release: 0.09},
		bright: dsp.Shape{Attack: 0.05, Decay: 0.5, Sustain: 0.5, Release: 0.2},
		cutoff: 500, follow: 1.5, sweep: 3, quality: 0.8, vibrato: 6, gain: 0.2, send: 0.5,
	},
	score.Plucked: {
		waves: [3]wave{{pulse: 0.2, gain: 0.5}, {pulse: 0.12, cents: 2, gain: 0.4},
			{cents: -2, gain: 0.2}},
		loud:   dsp.Shape{Attack: 0.002, Decay: 0.25, Sustain: 0.1, Release: 0.1},
		bright: dsp.Shape{Attack: 0.002, Decay: 0.12, Sustain: 0.1, Release: 0.1},
		cutoff: 600, follow: 1, sweep: 9, quality: 1.2, gain: 0.16, send: 0.35,
	},
	score.Bass: {
		waves:  [3]wave{{cents: -3, gain: 0.45}, {cents: 3, gain: 0.45}, {pulse: 0.5, gain: 0.3}},
		loud:   dsp.Shape{Attack: 0.02, Decay: 0.6, Sustain: 0.7, Release: 0.08},
		bright: dsp.Shape{Attack: 0.01, Decay: 0.3, Sustain: 0.3, Release: 0.1},
		cutoff: 120, follow: 1.5, sweep: 3, quality: 0.7, vibrato: 3, gain: 0.36, send: 0.25,
	},
}
