package orchestra

import (
	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
)

// A channel is the way of a part's voices into the mix: their sum, a filter, and effects.
type channel struct {
	voices []*voice
	sound  dsp.Stereo
	send   float32 // to the hall
	cut    float32 // what is below so many Hz is taken away
	tone   [2]dsp.Filter
	chorus *dsp.Chorus // or nil
	echo   *dsp.Echo   // or nil
}

func newChannel(p *score.Part, tempo float64) *channel {
	c := &channel{send: patches[p.Sound].send, cut: 120}
	switch p.Sound {
	case score.Strings:
		c.chorus = dsp.NewChorus(0.7, 0.004, 0.35)
		c.echo = dsp.NewEcho(60/tempo*0.75, 0.3, 0.15)
	case score.Plucked:
		c.echo = dsp.NewEcho(60/tempo*0.5, 0.35, 0.3)
	case score.Bass:
		c.cut = 30
		c.chorus = dsp.NewChorus(0.4, 0.003, 0.2)
	}
	return c
}

// sum adds up the voices.
func (c *channel) sum() {
	c.sound = dsp.Stereo{}
	for _, v := range c.voices {
		if !v.silent {
			c.sound.Add(&v.out, v.gains[0], v.gains[1])
		}
	}
}

func (c *channel) filter() {
	for i := range c.tone {
		c.tone[i].HighPass(&c.sound[i], c.cut, 0.7)
	}
}

// plan adds the channel's nodes and returns the last one. The voices come before.
func (c *channel) plan(p *Plan, name string, voices []int) int {
	last := p.add(name+": sum", c.sum, voices...)
	last = p.add(name+": filter", c.filter, last)
	if c.chorus != nil {
		last = p.add(name+": chorus", func() { c.chorus.Process(&c.sound) }, last)
	}
	if c.echo != nil {
		last = p.add(name+": echo", func() { c.echo.Process(&c.sound) }, last)
	}
	return last
}
