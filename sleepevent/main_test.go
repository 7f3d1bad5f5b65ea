package sleepevent_test

import (
	"testing"

	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) {
	// On js the runtime keeps a goroutine of its own for events.
	watch.Main(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}
