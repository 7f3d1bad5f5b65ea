package build

import (
	"context"

	"github.com/heddle-go/heddle/assets/build/encode"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Runner has encoders run somewhere else. That of package remote is a farm. Any goroutine may
// call its methods.
type Runner interface {
	// Start begins to encode a source, for the task whose Context is c, and does not block. Nobody
	// changes the source. The result fails when ctx ends.
	Start(ctx context.Context, c *taskgraph.Context, e *encode.Encoder, source []byte) Pending
}

// A Pending is a result to come.
type Pending interface {
	// Event completes with the result.
	Event() taskgraph.Event
	// Result returns it, after the event.
	Result(c *taskgraph.Context) ([]byte, Origin, error)
}
