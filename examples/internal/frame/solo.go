package frame

import (
	"time"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/taskgraph"
)

// newSolo makes a contestant that plays alone, in the order that the options name. What they film,
// if not nil, is in the film. Of a system's options the workers and threads are given.
func newSolo(o options, crew *crew, f *film, system taskgraph.Options) (*contestant, error) {
	s, err := o.newScene()
	if err != nil {
		return nil, err
	}
	q := quick
	if o.rough {
		q = tiny
	}
	w := worldOf(s, o.physics, q)
	c := &contestant{name: o.physics.String() + " physics", world: w, plan: w.plan(), film: f,
		pace: pace{clock: wallClock, fps: o.fps}}
	c.times = make([]time.Duration, 0, o.frames)
	c.rec = newRecorder(len(c.plan.steps)+extraSteps,
		append(workerNames(o.workers), threadNames[:]...)...)
	system.Trace = f.recorder()
	c.graph = newGraph(c.plan, c.rec, crew, o.workers, o.physics == scene.Serial ||
		o.physics == scene.Barriers, system)
	c.graph.apart = o.physics == scene.Barriers
	c.play = c.graph
	w.serveBy(c.graph)
	return c, nil
}
