package namedthread

import "fmt"

// A PanicError says that work of a thread panicked. [Thread.Err] returns the first one, if
// [Options] do not say what else to do with it.
type PanicError struct {
	// Value is what panic was given.
	Value any
	// Stack is the stack at the panic, as of debug.Stack.
	Stack []byte

	thread string
}

// Error names the thread and the value, without the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("namedthread: work of thread %s panicked: %v", e.thread, e.Value)
}

// Unwrap returns the value if it is an error, else nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// notePanic keeps a panic for Err, if it is the first.
func (t *Thread) notePanic(v any, stack []byte) {
	t.panicked.CompareAndSwap(nil, &PanicError{Value: v, Stack: stack, thread: t.name})
}
