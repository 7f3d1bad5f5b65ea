package heddlehttp

import (
	"fmt"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// Options say what is common to the requests of a Class. The zero value is usable.
type Options struct {
	Name string // for refusals and panics; default "requests"

	// Priority is that of the handlers. Background priorities leave Options.Foreground workers of
	// the system alone, so that a request of another class finds one of them idle. The default is
	// PriorityNormal.
	Priority taskgraph.Priority

	// MaxWaiting is how many requests may wait for a worker, from 1 on; default 64. A request that
	// comes when so many wait is refused with status 503.
	MaxWaiting int

	// MaxRunning is how many handlers of the class may run at a time; default: as many as there
	// are workers for the priority.
	MaxRunning int

	// Deadline is how long after its arrival the context of a request ends; default: never. A
	// request that still waits then is answered with status 503. A handler that runs then is not
	// interrupted: it has to look at its context, as Yield does.
	Deadline time.Duration

	// RetryAfter is what a refusal tells the client, rounded up to seconds; default 1 s.
	RetryAfter time.Duration

	// MaxBody, if not 0, makes the goroutine of the connection read the body of a request before
	// the request waits for a worker, at most so many bytes: a longer one is answered with status
	// 413. Without it a handler that reads the body of a slow client keeps its worker.
	MaxBody int64

	// BufferResponse makes the goroutine of the connection send the answer after the handler has
	// returned. Without it a handler that writes to a slow client keeps its worker. With it the
	// ResponseWriter is no http.Flusher and no http.Hijacker, and has no trailers.
	BufferResponse bool
}

// validate returns the options with their defaults, and panics if one is out of its range.
func (o Options) validate() Options {
	switch {
	case o.Priority > taskgraph.PriorityBackgroundLow:
		panic(fmt.Sprintf("heddlehttp: Priority %d", o.Priority))
	case o.MaxWaiting < 0:
		panic(fmt.Sprintf("heddlehttp: MaxWaiting %d", o.MaxWaiting))
	case o.MaxRunning < 0:
		panic(fmt.Sprintf("heddlehttp: MaxRunning %d", o.MaxRunning))
	case o.Deadline < 0:
		panic(fmt.Sprintf("heddlehttp: Deadline %v", o.Deadline))
	case o.RetryAfter < 0:
		panic(fmt.Sprintf("heddlehttp: RetryAfter %v", o.RetryAfter))
	case o.MaxBody < 0:
		panic(fmt.Sprintf("heddlehttp: MaxBody %d", o.MaxBody))
	}
	if o.Name == "" {
		o.Name = "requests"
	}
	if o.MaxWaiting == 0 {
		o.MaxWaiting = 64
	}
	if o.RetryAfter == 0 {
		o.RetryAfter = time.Second
	}
	return o
}
