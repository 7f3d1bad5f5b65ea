package dsp

import "math"

// A Shape says how loud a note is in its course: it rises in Attack seconds, falls towards Sustain,
// of 1, at the pace of Decay seconds, and from its end on towards 0 at that of Release.
type Shape struct {
	Attack, Decay, Sustain, Release float64
}

// An Envelope is where a note is in its Shape. It advances by blocks.
type Envelope struct {
	rise, decay, sustain, release float32 // a block's
	level                         float32
	stage                         stage
}

type stage uint8

const (
	silent stage = iota
	rising
	held
	ending
)

// blockTime is how long a block lasts, in seconds.
const blockTime = float64(Block) / Rate

// NewEnvelope returns an Envelope that is silent.
func NewEnvelope(s Shape) Envelope {
	pace := func(seconds float64) float32 { return float32(math.Exp(-blockTime / seconds)) }
	return Envelope{
		rise: float32(blockTime / s.Attack), decay: pace(s.Decay), sustain: float32(s.Sustain),
		release: pace(s.Release),
	}
}

// Press begins a note, at the level that there is.
func (e *Envelope) Press() { e.stage = rising }

// Let ends a note.
func (e *Envelope) Let() {
	if e.stage != silent {
		e.stage = ending
	}
}

// Silent reports whether the envelope is at 0, and stays there.
func (e *Envelope) Silent() bool { return e.stage == silent }

// Advance goes on by a block, and returns the levels at its beginning and its end.
func (e *Envelope) Advance() (from, to float32) {
	from = e.level
	switch e.stage {
	case rising:
		if e.level += e.rise; e.level >= 1 {
			e.level, e.stage = 1, held
		}
	case held:
		e.level = e.sustain + (e.level-e.sustain)*e.decay
	case ending:
		if e.level *= e.release; e.level < 1e-4 {
			e.level, e.stage = 0, silent
		}
	}
	return from, e.level
}
