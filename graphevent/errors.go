package graphevent

import (
	"errors"
	"fmt"
)

var (
	// ErrSkipped is the failure of a task that did not run because one of its
	// prerequisites failed. The error that an event returns wraps both it and the cause.
	ErrSkipped = errors.New("skipped: a prerequisite failed")

	// ErrCanceled is the failure of work that was cancelled before it started.
	ErrCanceled = errors.New("canceled before it started")

	// ErrClosed is the failure of work given to a system that is shut down, and of work
	// that a shutdown abandoned.
	ErrClosed = errors.New("the system is shut down")

	// ErrFull is the failure of work that a memory bound refused.
	ErrFull = errors.New("the system is full")

	// ErrGoexit is the failure of a body that ended its goroutine with runtime.Goexit, as
	// testing.T.FailNow does.
	ErrGoexit = errors.New("the body called runtime.Goexit")

	// ErrForgotten is the failure of an event whose error was dropped, because a store remembers no
	// more than Options.MaxFailures of them.
	ErrForgotten = errors.New("failed; the error was forgotten")
)

// A PanicError is the failure of a body that panicked.
type PanicError struct {
	Value any    // what was given to panic
	Stack []byte // the stack of the panicking goroutine, as runtime/debug.Stack prints it
}

// Error returns the panic's value as text.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error, so that errors.Is and errors.As see
// through a panic.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// A skipError says that a task was skipped and why.
type skipError struct{ cause error }

func (e *skipError) Error() string   { return ErrSkipped.Error() + ": " + e.cause.Error() }
func (e *skipError) Unwrap() []error { return []error{ErrSkipped, e.cause} }
