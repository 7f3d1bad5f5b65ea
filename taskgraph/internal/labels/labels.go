package labels

import (
	"context"
	"runtime/pprof"
)

// A Label is what a body is labelled with.
type Label struct{ Task, Graph, Priority string }

// A Goroutine keeps what it has labelled itself with, and with what it is now. The zero Goroutine
// has no labels. All methods are for the goroutine itself. One that shows what it has shown before
// allocates nothing.
type Goroutine struct {
	known map[Label]context.Context
	shown context.Context
}

// most bounds how many labels a goroutine keeps: names that are made for each task are none.
const most = 4096

// Show labels the goroutine, and returns the context that has the labels.
func (g *Goroutine) Show(l Label) context.Context {
	ctx := g.known[l]
	if ctx == nil {
		ctx = pprof.WithLabels(context.Background(), pprof.Labels(
			"task", l.Task, "graph", l.Graph, "priority", l.Priority))
		if g.known == nil {
			g.known = make(map[Label]context.Context)
		}
		if len(g.known) < most {
			g.known[l] = ctx
		}
	}
	g.set(ctx)
	return ctx
}

// Shown returns the context that has the labels of now, for Restore; nil if there are none.
func (g *Goroutine) Shown() context.Context { return g.shown }

// Restore labels the goroutine as it was when Shown returned ctx.
func (g *Goroutine) Restore(ctx context.Context) { g.set(ctx) }

func (g *Goroutine) set(ctx context.Context) {
	g.shown = ctx
	if ctx == nil {
		ctx = context.Background()
	}
	pprof.SetGoroutineLabels(ctx)
}
