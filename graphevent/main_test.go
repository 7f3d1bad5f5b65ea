package graphevent_test

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/heddle-go/heddle/internal/dev/race"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) {
	// On js the runtime keeps a goroutine of its own for events.
	watch.Main(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

// scaled shortens a test under -short and under the race detector.
func scaled(n int) int {
	if race.Enabled {
		return max(n/10, 1)
	}
	return short.Scaled(n)
}

// links shortens a chain that one goroutine makes and ends. It must be long enough to overflow the
// small stack that a test gives it; more of it tells little.
func links(n int) int {
	if testing.Short() {
		return n / 40
	}
	return scaled(n)
}

var (
	errBoom  = errors.New("boom")
	errCrash = errors.New("crash")
)
