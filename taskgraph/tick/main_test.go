package tick_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestMain(m *testing.M) { watch.Main(m) }

var bg = context.Background()

// start starts a system that is shut down without an error at the end of the test, and makes a hang
// a failure that shows what is stuck.
func start(t testing.TB, o taskgraph.Options) *taskgraph.System {
	t.Helper()
	s := taskgraph.Start(o)
	t.Cleanup(watch.Hangs(0, t.Name(), s))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(bg, time.Minute)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
	})
	return s
}
