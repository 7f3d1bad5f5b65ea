package cli

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// sleeping is set in the process that ends by a signal.
const sleeping = "HEDDLE_CLI_SLEEPING"

func TestMain(m *testing.M) {
	if os.Getenv(sleeping) != "" {
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// An interruption that comes to a process first is one all the same; without one a signal is a
// failure.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "windows" {
		t.Log("no signals here")
		return
	}
	// A process inherits that interruptions are ignored, as under nohup, but not that they are
	// handled.
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, os.Interrupt)
	defer signal.Stop(handled)
	exe, err := os.Executable()
	require.NoError(t, err)
	end := func(ctx context.Context) error {
		cmd := Process(ctx, exe)
		cmd.Env = append(os.Environ(), sleeping+"=1")
		require.NoError(t, cmd.Start())
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		return cmd.Wait()
	}
	func() { // nothing comes to this one, however long one waits
		defer func(d time.Duration) { company = d }(company)
		company = 50 * time.Millisecond
		require.False(t, Interrupted(bg, end(bg)))
	}()
	ctx, cancel := context.WithCancel(bg)
	err = end(ctx)
	go cancel()
	require.True(t, Interrupted(ctx, err))
	require.False(t, Interrupted(ctx, nil), "it was done by then")

	ctx, cancel = context.WithCancel(bg)
	cmd := Process(ctx, exe)
	cmd.Env = append(os.Environ(), sleeping+"=1")
	require.NoError(t, cmd.Start())
	cancel()
	require.True(t, Interrupted(ctx, cmd.Wait()))
}
