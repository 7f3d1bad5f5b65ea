package heddlehttp

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"

	"github.com/heddle-go/heddle/taskgraph"
)

// A request is one of a Class, from its arrival to its end.
type request struct {
	class   *Class
	handler http.Handler
	w       http.ResponseWriter // for the handler
	r       *http.Request
	buffer  *buffer // if the class has answers buffered

	before, after *request // of the list, guarded by its class
	waits         bool     // it is in the list

	done     chan struct{} // closed at the end; what stands below is written before
	refused  bool          // the handler was not called
	panicked any           // if not nil, what it panicked with
	goexit   bool
}

// place is the key of what the context of a request says about where its handler runs.
type place struct{}

// A worker is where a handler runs.
type worker struct {
	class   *Class
	context *taskgraph.Context
}

// run calls the handler, on a worker of the system.
func (q *request) run(tc *taskgraph.Context) {
	returned := false
	defer func() {
		if !returned {
			v := recover()
			if v != nil && v != http.ErrAbortHandler {
				v = &PanicError{Value: v, Stack: debug.Stack()}
			}
			q.panicked, q.goexit = v, v == nil
		}
		q.class.ended(returned)
		close(q.done)
	}()
	at := &worker{class: q.class, context: tc}
	q.handler.ServeHTTP(q.w, q.r.WithContext(context.WithValue(q.r.Context(), place{}, at)))
	returned = true
}

// ended counts a handler that has ended.
func (c *Class) ended(returned bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Running--
	if returned {
		c.counts.Served++
	} else {
		c.counts.Failed++
	}
}

// leaveTo ends the request on the goroutine of its connection, as its handler has ended.
func (q *request) leaveTo(w http.ResponseWriter) {
	switch {
	case q.refused:
		q.class.refuse(w, "the server takes no more")
	case q.panicked != nil:
		panic(q.panicked)
	case q.goexit:
		runtime.Goexit()
	case q.buffer != nil:
		q.buffer.send()
	}
}

// A PanicError is what a handler has panicked with, for those who recover from it around the
// Handler of a Class. net/http, which does, prints its Error.
type PanicError struct {
	Value any    // what was given to panic
	Stack []byte // of the worker, as runtime/debug.Stack prints it
}

// Error returns the value as text, and the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("%v [on a worker]\n%s", e.Value, e.Stack)
}

// Unwrap returns the value if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
