package anim

import (
	"fmt"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Clip is a motion that repeats, in samples at equal times. The sample after the last is
// the first. Bone b of sample k is at [k*bones+b].
type Clip struct {
	Name    string
	Rate    float32 // samples a second
	Samples int
	T       []vec.Vec3 // nil: as the skeleton at rest
	R       []vec.Quat
	S       []vec.Vec3 // nil: as the skeleton at rest
}

// Duration returns the seconds until the clip repeats.
func (c *Clip) Duration() float32 { return float32(c.Samples) / c.Rate }

// Check returns an error that says why the clip does not move a skeleton of so many bones, if
// it does not.
func (c *Clip) Check(bones int) error {
	n := c.Samples * bones
	if c.Samples <= 0 || !(c.Rate > 0) {
		return fmt.Errorf("clip %q has %d samples at %v a second", c.Name, c.Samples, c.Rate)
	}
	if len(c.R) != n || c.T != nil && len(c.T) != n || c.S != nil && len(c.S) != n {
		return fmt.Errorf("clip %q of %d samples for %d bones has %d turns, %d offsets, %d scales",
			c.Name, c.Samples, bones, len(c.R), len(c.T), len(c.S))
	}
	return nil
}

// at returns the samples before and after a time in seconds, not negative, and the share of
// the second.
func (c *Clip) at(time float32) (a, b int, t float32) {
	x := float32(time * c.Rate)
	whole := vec.Floor(x)
	a = int(whole) % c.Samples
	if b = a + 1; b == c.Samples {
		b = 0
	}
	return a, b, x - whole
}
