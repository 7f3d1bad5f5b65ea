package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
)

// beginThreads begins a run for the threads. From now on a wait on a named thread may depend on the
// waits of other threads, so it looks again.
func (g *Graph) beginThreads() {
	for _, x := range g.threads {
		x.left.Store(x.tasks)
		x.posted.Store(0)
	}
	g.sys.newEdge()
}

func (g *Graph) post(p *graphProps, prio Priority, i uint32) {
	s, th := g.sys, p.on.thread
	tp := namedthread.PriorityNormal
	if prio == PriorityHigh {
		tp = namedthread.PriorityHigh
	}
	p.on.posted.Add(1) // before the thread is told
	if !s.post(th, namedthread.QueueMain, tp, g.entry(i)) {
		p.on.posted.Add(-1)
		if g.listed {
			g.list.Put(i)
		}
		s.kern.Inject(g.entry(i), kernel.Normal) // a worker fails the task, see bind
	}
	s.turns.Yield()
}

// notRun says, for a report, which threads have ready tasks of the run in their lanes; "" if none
// has.
func (g *Graph) notRun() string {
	var all []string
	for _, x := range g.threads {
		if n := x.posted.Load(); n > 0 {
			all = append(all, fmt.Sprintf("thread %s does not run %d of its tasks", x.thread.Name(),
				n))
		}
	}
	return stuck.And(all)
}

// taken returns the graph and the task of an entry that its thread has taken out of a lane; nil if
// the run was given up.
func (s *System) taken(e entry.Entry) (g *Graph, i uint32) {
	if g = s.graphOf(e); g == nil {
		return nil, 0
	}
	i, _ = g.taskOf(e)
	g.propsOf(i).on.posted.Add(-1)
	return g, i
}

// An awaitedRun is the run of a graph that a wait on a named thread waits for.
type awaitedRun struct {
	g     *Graph
	event uint64 // see refOf
}

func (a awaitedRun) isOn() bool { return a.g.shown.Load() == a.event }

// addRun, if e is a run under way, makes its tasks in the lanes of r's thread awaited. It also
// appends the events for which the other threads of its tasks wait.
func (w *threadWait) addRun(r *threadRunner, e Event, stack []Event) []Event {
	a := awaitedRun{r.sys.colds.At(uint32(e.Node())).run.Load(), refOf(e)}
	if a.g == nil || len(a.g.threads) == 0 || !a.isOn() {
		return stack
	}
	for _, x := range a.g.threads {
		switch {
		case x.thread == r.thread:
			if x.posted.Load() > 0 {
				w.runs = append(w.runs, a)
			}
		case x.left.Load() > 0:
			stack = w.behind(x.thread, stack)
		}
	}
	return stack
}

// runPosted runs tasks of the awaited runs that lie in the thread's lanes, as a pump would, until
// there are no more or the wait is over. It reports whether there were any.
func (w *threadWait) runPosted() (ran bool) {
	s, th := w.r.sys, w.r.thread
	for len(w.runs) > 0 && !w.isOver() && w.ctx.Err() == nil && !s.abandoned.Load() &&
		th.RunFirst(namedthread.QueueMain, w.match) {
		ran = true
	}
	return ran
}

// isAwaited reports whether an entry of the thread's lanes is a task of an awaited run, or a
// tombstone: if a thread waits again and again and never pumps, tombstones must not pile up in
// front of what it looks for.
func (w *threadWait) isAwaited(what namedthread.Runnable, token uint64) bool {
	t, ok := what.(*threadRunner)
	if !ok {
		return false
	}
	e := entry.OfToken(token)
	if n, ok := e.Task(); ok {
		return t.sys.store.IsTombstone(n)
	}
	g := t.sys.graphOf(e)
	if g == nil {
		return false
	}
	for _, a := range w.runs {
		if a.g == g && a.isOn() {
			return true
		}
	}
	return false
}
