package assets

import (
	"context"
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Handle holds a resource until Manager.Release or Manager.ReleaseTree. Make one with
// Manager.Acquire. After a reload the Handle has the new value. Do not use the value after the
// release of the Handle or after Manager.Close.
//
// Any goroutine may call the methods.
type Handle struct {
	life     *life
	released atomics.Bool
}

// ID returns the name of the resource.
func (h *Handle) ID() ID { return h.life.id }

// State returns how far the resource has come: never Unknown before the release.
func (h *Handle) State() State { return h.life.newest().get() }

// Event returns the event that completes when the resource is ready, and fails if it fails: for
// tasks that come after it. A reload has none.
func (h *Handle) Event() taskgraph.Event { return h.life.event() }

// Wait blocks until the resource is ready, and returns nil, or has failed, and returns its Error;
// or it returns the cause of ctx's end, if that comes first. It makes the resource, and what that
// waits for, at least PriorityNormal; if ctx is the Context of a body, as urgent as the body, whose
// worker does other tasks meanwhile.
func (h *Handle) Wait(ctx context.Context) error {
	l := h.life
	if s := l.get(); s != Ready && s != Failed {
		var err error
		if c, ok := ctx.(*taskgraph.Context); ok {
			l.promote(c.Priority())
			err = c.Wait(l.event())
		} else {
			l.promote(taskgraph.PriorityNormal)
			err = l.m.sys.WaitUntilTasksComplete(ctx, l.event())
		}
		if s := l.get(); err != nil && s != Ready && s != Failed {
			return err
		}
	}
	return h.Err()
}

// Err returns the Error of a resource that has failed, nil before and of others.
func (h *Handle) Err() error {
	if l := h.life.newest(); l.get() == Failed {
		return l.err
	}
	return nil
}

// Value returns the value of a resource that is ready, and nil before and of others.
func (h *Handle) Value() any {
	if l := h.life.newest(); l.get() == Ready {
		return l.value
	}
	return nil
}

// Get returns the value of a resource that is ready as a T. The error is that of one that has
// failed, or says that it is not ready, or no T.
func Get[T any](h *Handle) (T, error) {
	var none T
	if err := h.Err(); err != nil {
		return none, err
	}
	v := h.Value()
	if t, ok := v.(T); ok {
		return t, nil
	}
	return none, fmt.Errorf("assets: %s is %s and has a %T, no %T", h.ID(), h.State(), v, none)
}

// Info returns what the Registry knew of a resource that is ready or has failed.
func (h *Handle) Info() Info {
	l := h.life.newest()
	if s := l.get(); s != Ready && s != Failed {
		return Info{ID: l.id}
	}
	return l.info
}

// Cut returns the children of a resource that is ready that it became ready without, because the
// edges to them would have closed a cycle: see cycles.md. They are loaded all the same.
func (h *Handle) Cut() []ID {
	if l := h.life.newest(); l.get() == Ready {
		return slices.Clone(l.cut)
	}
	return nil
}

// Lost returns the Errors of the children that a resource is ready in spite of, as its
// TypeRule.Degrade allows.
func (h *Handle) Lost() []error {
	if l := h.life.newest(); l.get() == Ready {
		return slices.Clone(l.lost)
	}
	return nil
}

// Promote makes the resource, and what it waits for, as urgent as p if it is less urgent.
func (h *Handle) Promote(p taskgraph.Priority) { h.life.promote(p) }
