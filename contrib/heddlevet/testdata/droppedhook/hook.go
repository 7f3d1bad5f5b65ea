// Package droppedhook is told of each failure.
package droppedhook

import (
	"context"
	"errors"

	"github.com/heddle-go/heddle/taskgraph"
)

func run(ctx context.Context) {
	sys := taskgraph.Start(taskgraph.Options{OnFailure: func(name string, err error) {
		println(name, err.Error())
	}})
	defer sys.Shutdown(ctx)
	sys.Task(taskgraph.Try(func() error { return errors.New("seen") })).Launch()
}
