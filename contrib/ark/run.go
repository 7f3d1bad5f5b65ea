package ark

import (
	"fmt"

	"github.com/heddle-go/heddle/taskgraph"
)

// A Body is what a system does in a frame. An error, or a panic, fails the frame.
type Body func(r *Run) error

// A Run is one run of a system, in a frame. It is valid until the body returns, and for the body's
// goroutine only.
type Run struct {
	step *System
	ctx  *taskgraph.Context
	cmds Commands
}

// Each calls f for the chunks of a query of the system: in parallel, in any order, and returns when
// all calls have. With [Options.Serial] and in place it calls f in the order of the chunks. It
// allocates nothing in steady state.
//
// It panics if q belongs to another system or an Each of it goes on.
func (r *Run) Each(q *Query, f func(c *Chunk)) error {
	if q.step != r.step {
		panic(fmt.Sprintf("ark: system %q iterates a query of system %q", r.step.name, q.step.name))
	}
	if q.busy {
		panic(fmt.Sprintf("ark: system %q iterates a query inside itself", r.step.name))
	}
	s := r.step.schedule
	q.update(s.view, s.options.Chunk)
	q.busy, q.f = true, f
	defer func() { q.busy, q.f = false, nil }()
	if r.ctx == nil || len(q.chunks) < 2 {
		for i := range q.chunks {
			q.chunks[i].call(f)
		}
		return nil
	}
	q.loop.N = len(q.chunks)
	return r.ctx.RunLoop(q.loop)
}

// Commands returns what the body records commands in, outside of chunks. They are applied before
// those of chunks. It panics if the system has not declared that it records any.
func (r *Run) Commands() *Commands {
	r.step.records()
	return &r.cmds
}

// Context returns the Context of the task that runs the system, or nil with [Options.Serial] and
// in a frame that runs in place, see [Options.InPlace]. With a system that has once been given one
// no frame runs in place, so a body that asks for it in each frame never gets nil for that reason.
func (r *Run) Context() *taskgraph.Context {
	r.step.asked = r.step.asked || r.ctx != nil
	return r.ctx
}
