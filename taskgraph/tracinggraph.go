package taskgraph

import (
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// What a recorder is told of runs of graphs and of their tasks is in this file.

// traceRun records that a run of g begins, and what is in g if that is not known.
func (g *Graph) traceRun(c *Context) {
	l := c.r.lane
	if l == nil || l.Off() {
		return
	}
	log := g.sys.log
	if d := g.known; d == nil || log.GraphOf(d.Number) != d {
		log.AddGraph(g.describe())
	}
	g.recorded = log.NewRun()
	l.Put2(flight.Run, keyOf(c.ev), g.known.Number, uint64(g.recorded))
}

// describe returns what a recorder keeps of g.
func (g *Graph) describe() *flight.Graph {
	n := g.Len()
	d := &flight.Graph{Names: make([]flight.Name, n), After: make([][]uint32, n)}
	var only [1]plan.Edge
	for i := range uint32(n) {
		d.Names[i] = nameOfBody(g.bodyOf(i).f)
		if p := g.propsOf(i); p != nil {
			if d.Texts == nil {
				d.Texts, d.Prio = make([]string, n), make([]uint8, n)
				for j := range d.Prio {
					d.Prio[j] = uint8(inherited)
				}
			}
			d.Texts[i], d.Prio[i] = p.name, uint8(p.prio)
		}
		for _, e := range g.plan.Dependents(i, &only) {
			d.After[e.To()] = append(d.After[e.To()], i)
		}
	}
	g.known = d
	return d
}

// traceTask records that the body of task i begins, and so that the one before it in place ends.
func (g *Graph) traceTask(l *flight.Lane, c *Context, i uint32) {
	if l == nil {
		return
	}
	if !c.traced {
		g.traceFirst(c, i)
		return
	}
	l.Next(flight.TaskKey(g.recorded, i))
}

// traceFirst is traceTask for the first of a row of tasks that runs in place.
func (g *Graph) traceFirst(c *Context, i uint32) {
	c.traced = true
	c.r.lane.Follow(flight.BeginOf, flight.TaskKey(g.recorded, i))
}

// traceTaskEnd records that the body of the task of c has ended.
func (g *Graph) traceTaskEnd(c *Context, err error) {
	k := flight.End
	switch {
	case c.r.lane == nil:
		return
	case !c.traced:
		k = flight.DoneFailed // it was skipped
	case c.holds != nil:
		k = flight.EndOpen
	case err != nil:
		k = flight.EndFailed
	}
	c.traced = false
	c.r.lane.End(k, c.key())
}
