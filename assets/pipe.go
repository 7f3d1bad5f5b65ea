package assets

import (
	"context"

	"github.com/heddle-go/heddle/taskgraph"
)

// A Pipe does one job on one item. Pipes know nothing of each other: what one leaves in the Item is
// what others find. The same Pipe works on many items at a time, and may be in many plans.
type Pipe struct {
	// Name tells the pipes of a plan apart, and is the stage of an Error.
	Name string

	// Lane is what Run spends its time on; default CPU. In all others it may block.
	Lane Lane

	// Bytes returns how much memory the item will need at most in this pipe and after it, until its
	// dependencies are looked at or it is ready: what was fetched, what is decoded, and what both
	// take meanwhile. No item begins the first pipe of its plan that has Bytes before the most
	// that any of its pipes names is free in the budget of the pipeline. Nil: none. It must be
	// quick and may read the item only. See also Item.Reserve.
	Bytes func(it *Item) int64

	// Run does the job. An error ends the load, see Retry; a panic or runtime.Goexit is an error
	// too. The context ends when the manager closes, and after PipelineOptions.Timeout; a
	// pipe that blocks returns then. By Task a pipe may launch, loop and wait; it must not wait for
	// other resources, but names them as Children.
	Run func(ctx context.Context, it *Item) error

	awaits bool // it is Dependencies, and has no Run
}

// Task returns the Context of the task in which a pipe runs, given that of Run or one derived from
// it; nil if there is none.
func Task(ctx context.Context) *taskgraph.Context {
	c, _ := ctx.Value(taskKey{}).(*taskgraph.Context)
	return c
}

type taskKey struct{}

// A pipeContext is what Run gets: it ends with the manager, and knows its task.
type pipeContext struct {
	context.Context
	task *taskgraph.Context
}

func (p *pipeContext) Value(key any) any {
	if key == (taskKey{}) {
		return p.task
	}
	return p.Context.Value(key)
}
