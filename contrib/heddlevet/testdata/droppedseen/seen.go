// Package droppedseen looks at the failures that nobody waited for where it shuts down, so nothing
// in it is dropped.
package droppedseen

import (
	"context"
	"errors"

	"github.com/heddle-go/heddle/taskgraph"
)

func run(ctx context.Context) error {
	sys := taskgraph.Start(taskgraph.Options{})
	sys.Task(taskgraph.Try(func() error { return errors.New("seen") })).Launch()
	return sys.Shutdown(ctx)
}
