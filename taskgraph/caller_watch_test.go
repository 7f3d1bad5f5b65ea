package taskgraph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// A caller blocks where nobody sees it, and the worker that sleeps meanwhile cannot run what that
// is for: it is not taken for one that only has to be woken, and a spare slot comes.
func TestCallerKeepsOutNobodyForBackground(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2, Foreground: 1})
	err := s.Run(context.Background(), taskgraph.Run(func(*taskgraph.Context) error {
		held, release := make(chan struct{}), make(chan struct{})
		background := func(f func()) {
			s.Task(taskgraph.Run(func(*taskgraph.Context) error {
				f()
				return nil
			})).Priority(taskgraph.PriorityBackgroundNormal).Launch()
		}
		background(func() { close(held); <-release })
		<-held
		background(func() { close(release) })
		<-release
		return nil
	}))
	require.NoError(t, err)
}
