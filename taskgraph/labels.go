package taskgraph

import (
	"context"
	rtrace "runtime/trace"

	"github.com/heddle-go/heddle/taskgraph/internal/labels"
)

// What tools of Go itself see of bodies is in this file: see Options.Labels.

// labelled returns the labels of the body f of c.
func (c *Context) labelled(f any) labels.Label {
	l := labels.Label{Priority: c.prio.String()}
	if g := c.graph; g != nil {
		l.Graph = g.runName()
		if p := g.propsOf(c.node); p != nil {
			l.Task = p.name
		}
	} else if name := c.r.sys.colds.Get(uint32(c.ev.Node())).name(); c.hasEvent() && name != nil {
		l.Task = *name
	}
	if l.Task == "" {
		l.Task = bodyName(f)
	}
	return l
}

// callLabelled calls b under its labels, and in a region if Go's execution tracer runs. What was
// labelled before, a body that waits beneath, is so again afterwards, whatever ends the call.
func (r *runner) callLabelled(c *Context, b Body, named any) error {
	l := c.labelled(named)
	defer r.labels.Restore(r.labels.Shown())
	ctx := r.labels.Show(l)
	if rtrace.IsEnabled() {
		if c.graph != nil && c.graph.goTask != nil {
			ctx = c.graph.goCtx
		}
		defer rtrace.StartRegion(ctx, l.Task).End()
	}
	return b.call(c)
}

// runName returns the name of the run whose event is known.
func (g *Graph) runName() string {
	if p := g.sys.labelOf(g.event); p != nil && p.name != "" {
		return p.name
	}
	return "a graph"
}

// beginGoRun begins the task of a run whose event is known, if the tracer runs.
func (g *Graph) beginGoRun() {
	if g.sys.opts.Labels && rtrace.IsEnabled() {
		g.goCtx, g.goTask = rtrace.NewTask(context.Background(), g.runName())
	}
}

func (g *Graph) endGoRun() {
	if g.goTask != nil {
		g.goTask.End()
		g.goCtx, g.goTask = nil, nil
	}
}
