package farm_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestMain(m *testing.M) { watch.Main(m) }

var (
	bg     = context.Background()
	remote = farm.CallOptions{Where: farm.Remote}
)

// start starts a system that is shut down without an error at the end of the test.
func start(t testing.TB) *taskgraph.System {
	t.Helper()
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(bg, time.Minute)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
	})
	return s
}

// open opens a farm that is closed at the end of the test.
func open(t testing.TB, o farm.Options) *farm.Farm {
	t.Helper()
	f, err := farm.Open(bg, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// work runs a worker until the end of the test, or until the function is called.
func work(t testing.TB, f *farm.Farm, jobs *farm.Jobs, o farm.WorkOptions) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(bg)
	end := make(chan error, 1)
	go func() { end <- f.Work(ctx, jobs, o) }()
	done := false
	stop = func() {
		if !done {
			done = true
			cancel()
			require.NoError(t, <-end)
		}
	}
	t.Cleanup(stop)
	return stop
}

func upper() *farm.Jobs {
	jobs := farm.NewJobs()
	jobs.RegisterBytes("upper", "1", func(_ context.Context, in []byte) ([]byte, error) {
		return bytes.ToUpper(in), nil
	})
	jobs.RegisterBytes("fail", "1", func(_ context.Context, in []byte) ([]byte, error) {
		return nil, farm.Permanent(errors.New("no: " + string(in)))
	})
	return jobs
}

func TestOneProcess(t *testing.T) {
	jobs := upper()
	sys := start(t)
	f := open(t, farm.Options{Jobs: jobs})
	work(t, f, jobs, farm.WorkOptions{})
	r := farm.Call(sys, f, "upper", farm.Bytes([]byte("warp")), remote)
	b, err := r.Get(bg)
	require.NoError(t, err)
	require.Equal(t, "WARP", string(b))
	bad := farm.Call(sys, f, "fail", farm.Bytes([]byte("weft")), remote)
	_, err = bad.Get(bg)
	var failure *farm.JobError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "no: weft", failure.Message)
	require.ErrorIs(t, err, farm.ErrDead)
	again := farm.Call(sys, f, "upper", farm.Bytes([]byte("warp")), remote)
	_, err = again.Get(bg)
	require.NoError(t, err)
	require.Equal(t, "kept: there is a result", again.Why())
}
