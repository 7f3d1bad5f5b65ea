package parallel

import (
	"context"

	"github.com/heddle-go/heddle/taskgraph"
)

// A Launcher is where an algorithm runs: a *taskgraph.System, *taskgraph.Context or
// *taskgraph.Participant, or one of these [With] options.
type Launcher interface {
	// RunLoop runs a loop.
	RunLoop(l taskgraph.Loop) error
	// Task begins a task.
	Task(b taskgraph.Body) taskgraph.Task
	// WaitUntilTasksComplete waits for tasks.
	WaitUntilTasksComplete(ctx context.Context, events ...taskgraph.Event) error
}

var (
	_ Launcher = (*taskgraph.System)(nil)
	_ Launcher = (*taskgraph.Context)(nil)
	_ Launcher = (*taskgraph.Participant)(nil)
)

// With returns a Launcher whose loops have the Grain, Unbalanced, Serial, Background and Limit of
// l, where those are set, and remember what they cost in its Site, a *taskgraph.LoopSite, which is
// for calls of one algorithm with one purpose. It panics if l says what to do, and not only how: N,
// PreWork, Body and a function as Site belong to a call.
func With(on Launcher, l taskgraph.Loop) Launcher {
	site, ok := l.Site.(*taskgraph.LoopSite)
	if l.N != 0 || l.PreWork != nil || l.Body != nil || l.Site != nil && !ok {
		panic("parallel: With a Loop that says what to do")
	}
	if ok && site == nil {
		panic("parallel: With a nil LoopSite")
	}
	if l.Grain < 0 || l.Limit < 0 {
		panic("parallel: With a negative Grain or Limit")
	}
	return &with{on, l}
}

// A with adds options to loops.
type with struct {
	Launcher
	l taskgraph.Loop
}

// RunLoop implements Launcher.
func (w *with) RunLoop(l taskgraph.Loop) error {
	if l.Grain == 0 {
		l.Grain = w.l.Grain
	}
	l.Unbalanced = l.Unbalanced || w.l.Unbalanced
	if w.l.Site != nil && !l.Serial { // a serial one ends an algorithm, and is over other elements
		l.Site = w.l.Site
	}
	l.Serial = l.Serial || w.l.Serial
	l.Background = l.Background || w.l.Background
	if l.Limit == 0 || w.l.Limit > 0 && w.l.Limit < l.Limit {
		l.Limit = w.l.Limit
	}
	return w.Launcher.RunLoop(l)
}

// grain returns the grain that the options of on ask for, or 0.
func grain(on Launcher) int {
	for {
		w, ok := on.(*with)
		if !ok {
			return 0
		}
		if w.l.Grain > 0 {
			return w.l.Grain
		}
		on = w.Launcher
	}
}

// limit returns how many may take part in a loop on on.
func limit(on Launcher) int {
	most := int(^uint(0) >> 1)
	for {
		switch l := on.(type) {
		case *with:
			if l.l.Serial {
				return 1
			}
			if l.l.Limit > 0 {
				most = min(most, l.l.Limit)
			}
			on = l.Launcher
			continue
		case *taskgraph.System:
			return min(most, l.LoopLimit())
		case interface{ System() *taskgraph.System }:
			return min(most, l.System().LoopLimit())
		}
		return most
	}
}
