package assets

import (
	"errors"
	"strings"
)

var (
	// ErrUnknown is wrapped by the error of a resource that the Registry does not know.
	ErrUnknown = errors.New("assets: unknown resource")
	// ErrClosed is what is loaded or asked for after a manager has been closed.
	ErrClosed = errors.New("assets: manager is closed")
	// ErrReleased is the error of a handle that has been released, and of a load that nobody
	// wanted any more.
	ErrReleased = errors.New("assets: released")
	// ErrBudget is wrapped where a resource needs more memory than the budget of the pipeline has
	// in all, and is what Item.Reserve returns to be handed on.
	ErrBudget = errors.New("assets: over the budget of bytes in flight")
	// ErrCycle is the error of Item.Child for an edge that was cut because it closes a cycle.
	ErrCycle = errors.New("assets: the edge closes a cycle and was cut")
	// ErrPlan is wrapped by the error of an edit of a Plan that is not possible.
	ErrPlan = errors.New("assets: no such plan")
)

// An Error says why a resource failed. errors.As finds the first of a chain: that of the resource
// asked for. If it failed because of a child, Err is the Error of that one.
type Error struct {
	ID    ID
	Stage string // name of the pipe
	// Parents are the resources for whose sake it was loaded first: the one that was asked for
	// comes first, the parent that named this one last. There are none if it failed because of a
	// child: that one's Error has them.
	Parents  []ID
	Attempts int // how often the pipe was run
	Err      error
}

// Error returns the resource, the stage, the chain of parents and the cause in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("assets: ")
	b.WriteString(string(e.ID))
	b.WriteString(": ")
	b.WriteString(e.Stage)
	if len(e.Parents) > 0 {
		b.WriteString(" (for ")
		for i, p := range e.Parents {
			if i > 0 {
				b.WriteString(" > ")
			}
			b.WriteString(string(p))
		}
		b.WriteString(")")
	}
	b.WriteString(": ")
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
