package farm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
)

// flaky returns a job that fails so many times, each time when it is told to, and then succeeds. If
// its argument is "withdrawn" it waits for that, and any other one it returns at once.
func flaky(fails int) (jobs *farm.Jobs, fail chan struct{}) {
	jobs, fail = farm.NewJobs(), make(chan struct{})
	left := fails
	jobs.RegisterBytes("flaky", "1", func(ctx context.Context, in []byte) ([]byte, error) {
		switch {
		case string(in) == "withdrawn":
			<-ctx.Done()
			return nil, ctx.Err()
		case len(in) > 0:
			return in, nil
		}
		if left--; left < 0 {
			return []byte("done"), nil
		}
		<-fail
		return nil, errors.New("not now")
	})
	return jobs, fail
}

// callFlaky calls a job that fails so many times, on a farm with one worker.
func callFlaky(t *testing.T, fails int) (h *history, f *farm.Farm, fail chan struct{},
	r *farm.Result) {
	h = newHistory()
	sys := start(t)
	o := quick(h)
	o.Listen = true
	f = open(t, o)
	jobs, fail := flaky(fails)
	work(t, f, jobs, farm.WorkOptions{Slots: 1})
	call := remote
	call.Version = "1"
	return h, f, fail, farm.Call(sys, f, "flaky", farm.Bytes(nil), call)
}

// forget makes the server take for acknowledged what it has delivered of a job, and keep it in its
// stream: that is how a job is lost whose worker then gives it back or ends.
func forget(t *testing.T, f *farm.Farm) {
	nc, err := nats.Connect(f.URL())
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	c, err := js.Consumer(bg, "heddle-jobs-normal", "flaky-1")
	require.NoError(t, err)
	_, err = js.ResetConsumerToSequence(bg, "heddle-jobs-normal", "flaky-1",
		c.CachedInfo().Delivered.Stream+1)
	require.NoError(t, err)
}

// get is Result.Get for a result that may never come.
func get(r *farm.Result) ([]byte, error) {
	ctx, cancel := context.WithTimeout(bg, time.Minute)
	defer cancel()
	return r.Get(ctx)
}

// A job that the server has forgotten, whose worker gives it back in vain, is queued again.
func TestForgotten(t *testing.T) {
	h, f, fail, r := callFlaky(t, 1)
	h.await(farm.NoteRun, 1)
	forget(t, f)
	close(fail)
	got, err := get(r)
	require.NoError(t, err)
	require.Equal(t, "done", string(got))
	require.Equal(t, 1, h.of(farm.NoteForgotten))
	require.Equal(t, 2, h.of(farm.NoteRun))
	settled(t, f)
}

// The runs of a job that is forgotten each time are counted all the same.
func TestForgottenRunsCount(t *testing.T) {
	h, f, fail, r := callFlaky(t, 100)
	most := quick(h).MaxDeliver
	for i := range most {
		h.await(farm.NoteRun, i+1)
		forget(t, f)
		fail <- struct{}{}
	}
	_, err := get(r)
	var failure *farm.JobError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, most, failure.Attempts)
	require.GreaterOrEqual(t, h.of(farm.NoteForgotten), most-1)
	settled(t, f)
}

// A job is withdrawn while others run: the server still knows of these, and what is given back is
// delivered again.
func TestWithdrawnAlone(t *testing.T) {
	h := newHistory()
	sys := start(t)
	f := open(t, quick(h))
	jobs, fail := flaky(1)
	work(t, f, jobs, farm.WorkOptions{Slots: 3})
	call := remote
	call.Version = "1"
	first := farm.Call(sys, f, "flaky", farm.Bytes(nil), call)
	h.await(farm.NoteRun, 1)
	ctx, cancel := context.WithCancelCause(bg)
	call.Context = ctx
	second := farm.Call(sys, f, "flaky", farm.Bytes([]byte("withdrawn")), call)
	h.await(farm.NoteRun, 2)
	cause := errors.New("the user has gone")
	cancel(cause)
	_, err := get(second)
	require.ErrorIs(t, err, cause)
	h.await(farm.NoteFailed, 1) // it is out of the queue, and its function was told
	call.Context = nil
	_, err = get(farm.Call(sys, f, "flaky", farm.Bytes([]byte("third")), call))
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the third is acknowledged
		s, err := f.Status(bg)
		return err == nil && s.Waiting == 1
	}, time.Minute, 5*time.Millisecond)
	close(fail)
	got, err := get(first)
	require.NoError(t, err)
	require.Equal(t, "done", string(got))
	require.Zero(t, h.of(farm.NoteForgotten))
	settled(t, f)
}
