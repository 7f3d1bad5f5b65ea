package namedthread_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/namedthread"
)

func TestRunUntilContextEnds(t *testing.T) {
	th := attach(t)
	why := errors.New("enough")
	ran := 0
	for i := range 100 {
		ctx, cancel := context.WithCancelCause(context.Background())
		post(t, th, namedthread.Func(func() { ran++ }))
		if i%2 == 0 { // from inside, with work behind it
			post(t, th, namedthread.Func(func() { cancel(why) }))
		} else {
			go cancel(why) // while it runs, or sleeps, or before
		}
		require.ErrorIs(t, th.Run(ctx), why)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, th.Run(ctx), context.DeadlineExceeded)
	require.ErrorIs(t, th.Run(ctx), context.DeadlineExceeded, "it had ended before")
	_, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 100, ran, "what was left stayed for the next pump")
}

func TestRunUntilQuit(t *testing.T) {
	th := attach(t)
	post(t, th, namedthread.Func(func() {
		require.ErrorIs(t, th.Run(context.Background()), namedthread.ErrReentered)
		th.Quit()
	}))
	require.NoError(t, th.Run(context.Background()))
	require.NoError(t, th.Run(context.Background()), "it has quit")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, th.Detach())
	require.NoError(t, th.Run(ctx))
}

func TestRunElsewhere(t *testing.T) {
	th := start(t, namedthread.Options{})
	if _, err := namedthread.Current(); err != namedthread.ErrNotNamed {
		return // no ids here
	}
	require.PanicsWithValue(t, "namedthread: Run called from outside thread Render", func() {
		th.Run(context.Background())
	})
}

// mainSign makes the program of the tests another one, see TestMainThread.
const mainSign = "HEDDLE_TEST_MAIN"

// This is how a program keeps its main goroutine on the thread that the system started it with.
func init() {
	if os.Getenv(mainSign) != "" {
		runtime.LockOSThread()
	}
}

// mainProgram is run by the main goroutine.
func mainProgram() int {
	main, err := namedthread.NewRegistry().Attach("Main", namedthread.Options{})
	if err != nil {
		return 2
	}
	defer main.Detach()
	ctx, stop := context.WithCancel(context.Background())
	status := 3
	go main.Post(mainQ, normal, namedthread.Func(func() {
		id, err := osthread.ID()
		now, _ := namedthread.Current()
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			status = 0
		case runtime.GOOS == "linux" && id != uint64(os.Getpid()), now != main:
			status = 4
		default:
			status = 0
		}
		stop()
	}), 0)
	if err := main.Run(ctx); err != context.Canceled {
		return 5
	}
	return status
}

// TestMainThread: with init and LockOSThread, the program's first thread is a named one.
func TestMainThread(t *testing.T) {
	if runtime.GOOS == "js" {
		return // no processes
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), mainSign+"=1")
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
