package taskgraph

import (
	"errors"
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// giveUp notes, once, why the rest of the run is skipped.
func (g *Graph) giveUp(err error) {
	if g.given.CompareAndSwap(false, true) {
		g.errs.Push(err)
	}
}

// errSkipped marks a task that was skipped.
var errSkipped = errors.New("skipped")

// fail notes the failure of i, and marks its dependents as skipped before release tells them that i
// has ended.
func (g *Graph) fail(i uint32, err error) {
	if err != errSkipped {
		if g.sys.opts.OnFailure != nil {
			g.sys.onFailure(g.nameOf(i), err)
		}
		g.errs.Push(fmt.Errorf("%s: %w", g.nameOf(i), err))
	}
	var only [1]plan.Edge
	edges := g.plan.Dependents(i, &only)
	if len(edges) == 0 {
		return
	}
	g.odd.Or(oddFailed)
	for _, e := range edges {
		t := e.To()
		g.skipped[t/32].Or(1 << (t % 32))
	}
}

func (g *Graph) isSkipped(i uint32) bool { return g.skipped[i/32].Load()&(1<<(i%32)) != 0 }

func (g *Graph) result() error {
	if !g.anyFailed() && g.errs.Empty() {
		return nil
	}
	g.odd.Store(0)
	g.given.Store(false)
	for i := range g.skipped {
		g.skipped[i].Store(0)
	}
	return joined(slices.Collect(g.errs.Drain()))
}

// joined joins failures, given in reverse order, and leaves some out if there are many.
func joined(errs []error) error {
	const most = 16
	slices.Reverse(errs)
	if n := len(errs); n > most {
		errs = append(errs[:most], fmt.Errorf("and %d more", n-most))
	}
	return errors.Join(errs...)
}
