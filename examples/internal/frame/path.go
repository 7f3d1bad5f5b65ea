package frame

import (
	"time"

	"github.com/heddle-go/heddle/examples/internal/dag"
	"github.com/heddle-go/heddle/examples/internal/figures"
)

// A cost is what the steps of a plan take, a frame in the mean, as the serial frames have shown.
type cost struct {
	work []time.Duration // a step each
	span []time.Duration // likewise: with as many workers as it can use
	next time.Duration   // between frames
}

// costOf reads the recorder of a serial player.
func costOf(p *plan, r *recorder) cost {
	c := cost{work: make([]time.Duration, len(p.steps)), span: make([]time.Duration, len(p.steps))}
	l := &r.lanes[0]
	for i := range p.steps {
		if l.calls[i] == 0 {
			continue
		}
		n := time.Duration(l.calls[i])
		c.work[i] = l.busy[i] / n
		c.span[i] = c.work[i]
		if s := &p.steps[i]; s.objects != nil && l.objects[i] > 0 {
			mean := max(l.objects[i]/l.calls[i], 1)
			c.span[i] = c.work[i] * time.Duration(min(max(s.grain, 1), mean)) / time.Duration(mean)
		}
	}
	if k := len(p.steps) + betweenFrames; l.calls[k] > 0 {
		c.next = l.busy[k] / time.Duration(l.calls[k])
	}
	return c
}

// order is the frame as what comes after what.
func (p *plan) order() dag.Graph {
	return dag.Graph{Nodes: len(p.steps), After: func(i int) []int { return p.steps[i].follows() }}
}

// criticalPath returns the longest chain of steps of a frame, and how long a frame takes if no
// worker is ever missing. The later steps of the frame before run beside the others, so the longer
// of the two chains counts.
func (p *plan) criticalPath(c cost) (path []int, length time.Duration) {
	path, length = p.order().LongestPath(c.span)
	return path, length + c.next
}

// parallelism returns how many workers the frame can keep busy in the mean.
func (p *plan) parallelism(c cost) float64 {
	work := c.next
	for _, w := range c.work {
		work += w
	}
	_, length := p.criticalPath(c)
	return figures.Ratio(work, length)
}
