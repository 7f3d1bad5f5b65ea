package dsp

import "math"

// A Chorus adds to a sound copies of it that are late by a time that goes up and down, so that one
// instrument sounds like some.
type Chorus struct {
	lines [2]line
	phase float64 // of what goes up and down, in turns
	speed float64 // turns a block
	depth float64 // samples
	mix   float32
	ago   [2][copies]float32 // at the end of the last block
}

// copies is how many copies a channel gets.
const copies = 2

// NewChorus returns a Chorus whose copies go up and down at so many Hz, by so many seconds, and
// have the gain mix.
func NewChorus(hz, seconds float64, mix float32) *Chorus {
	c := &Chorus{speed: hz * Block / Rate, depth: seconds * Rate, mix: mix}
	for ch := range c.lines {
		c.lines[ch] = newLine(int(4*c.depth) + 2*Block)
	}
	c.sway(&c.ago)
	return c
}

// sway computes how late the copies are.
func (c *Chorus) sway(ago *[2][copies]float32) {
	for ch := range ago {
		for k := range ago[ch] {
			turn := c.phase + float64(ch)/4 + float64(k)/copies
			ago[ch][k] = float32(Block/2 + c.depth*(1.5+math.Sin(2*math.Pi*turn)))
		}
	}
}

// Process adds the copies to a block.
func (c *Chorus) Process(s *Stereo) {
	_, c.phase = math.Modf(c.phase + c.speed)
	var next [2][copies]float32
	c.sway(&next)
	for ch := range s {
		l, b := &c.lines[ch], &s[ch]
		a0, a1 := c.ago[ch][0], c.ago[ch][1]
		d0, d1 := (next[ch][0]-a0)/Block, (next[ch][1]-a1)/Block
		for i, x := range b {
			l.write(x)
			b[i] = x + c.mix*(l.read(a0)+l.read(a1))
			a0 += d0
			a1 += d1
		}
	}
	c.ago = next
}
