package blockingbody

import (
	"testing"

	"github.com/heddle-go/heddle/taskgraph"
)

// The body of a test blocks on purpose.
func TestOrder(t *testing.T) {
	sys := taskgraph.Start(taskgraph.Options{})
	gate := make(chan int)
	sys.Go(func() { <-gate })
	close(gate)
	if err := sys.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}
