package farm

import (
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// A pulse is a task that lives as long as calls of its system wait for the farm, and sleeps on
// delays: so a Shutdown sees that something is on its way from outside, and waits for it.
type pulse struct {
	calls int
	last  taskgraph.Event // triggered when calls becomes 0
}

const beat = 500 * time.Millisecond

// keepAwake counts a call until its task is complete.
func (f *Farm) keepAwake(c *taskgraph.Context, r *Result) {
	sys := c.System()
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.pulses[sys]
	if p == nil {
		p = &pulse{last: sys.NewEvent()}
		f.pulses[sys] = p
		c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			f.mu.Lock()
			alive := p.calls > 0
			f.mu.Unlock()
			if alive {
				c.Again(c.System().Any(p.last, c.System().AfterDelay(beat)))
			}
			return nil
		})).Name("farm: waits for results").Launch()
	}
	p.calls++
	r.done.OnComplete(func(error) {
		f.mu.Lock()
		p.calls--
		over := p.calls == 0
		if over {
			delete(f.pulses, sys)
		}
		f.mu.Unlock()
		if over {
			p.last.Trigger()
		}
	})
}
