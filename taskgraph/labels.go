package taskgraph

import (
	"context"
	"runtime/pprof"
	rtrace "runtime/trace"
)

// What tools of Go itself see of bodies is in this file: see Options.Labels.

// A bodyLabel is what a body is labelled with.
type bodyLabel struct {
	task, graph string
	prio        Priority
}

// labelling is what a runner keeps for it.
type labelling struct {
	known map[bodyLabel]context.Context
	shown context.Context // the labels of the body that runs
}

// mostLabels bounds how many labels a runner keeps: names that are made for each task are none.
const mostLabels = 4096

// labelled returns the labels of the body f of c.
func (c *Context) labelled(f any) bodyLabel {
	l := bodyLabel{prio: c.prio}
	if g := c.graph; g != nil {
		l.graph = "a graph"
		if p := c.r.sys.labelOf(g.event); p != nil && p.name != "" {
			l.graph = p.name
		}
		if p := g.propsOf(c.node); p != nil {
			l.task = p.name
		}
	} else if cold := c.r.sys.colds.Get(uint32(c.ev.Node())); c.hasEvent() && cold != nil {
		if p := cold.props.Load(); cold.special.Load() && p != nil {
			if name := p.name.Load(); name != nil {
				l.task = *name
			}
		}
	}
	if l.task == "" {
		l.task = bodyName(f)
	}
	return l
}

// show labels the goroutine, and returns the context that has the labels.
func (b *labelling) show(l bodyLabel) context.Context {
	ctx := b.known[l]
	if ctx == nil {
		ctx = pprof.WithLabels(context.Background(), pprof.Labels(
			"task", l.task, "graph", l.graph, "priority", l.prio.String()))
		if b.known == nil {
			b.known = make(map[bodyLabel]context.Context)
		}
		if len(b.known) < mostLabels {
			b.known[l] = ctx
		}
	}
	b.shown = ctx
	pprof.SetGoroutineLabels(ctx)
	return ctx
}

// labelHelper labels c, which helps with l and has joined it, until its body ends: before that it
// is not known which loop it is.
func (c *Context) labelHelper(l *loop) {
	name := bodyName(l.body)
	if l.plain != nil {
		name = bodyName(l.plain)
	}
	c.r.labels.show(bodyLabel{task: name, prio: c.prio})
}

// callLabelled calls b under its labels, and in a region if Go's execution tracer runs. What was
// labelled before, a body that waits on the same goroutine, is so again afterwards, also if the
// call panics or ends the goroutine.
func (r *runner) callLabelled(c *Context, b Body, named any) error {
	l, outer := c.labelled(named), r.labels.shown
	ctx := r.labels.show(l)
	defer func() {
		r.labels.shown = outer
		if outer == nil {
			outer = context.Background()
		}
		pprof.SetGoroutineLabels(outer)
	}()
	if rtrace.IsEnabled() {
		if c.graph != nil && c.graph.goRun != nil {
			ctx = c.graph.goRun.ctx
		}
		defer rtrace.StartRegion(ctx, l.task).End()
	}
	return b.call(c)
}

// beginGoRun begins the task of a run whose event is known, if the tracer runs.
func (g *Graph) beginGoRun() {
	if !g.sys.opts.Labels || !rtrace.IsEnabled() {
		return
	}
	name := "a graph"
	if p := g.sys.labelOf(g.event); p != nil && p.name != "" {
		name = p.name
	}
	ctx, task := rtrace.NewTask(context.Background(), name)
	g.goRun = &goRun{ctx, task}
}

func (g *Graph) endGoRun() {
	if run := g.goRun; run != nil {
		g.goRun = nil
		run.task.End()
	}
}
