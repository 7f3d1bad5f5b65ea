package farm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/farm/internal/proxy"
)

// What fails for a reason that is not the job's is not held against it: here each job may be
// delivered once.
func strict(h *history) farm.Options {
	o := quick(h)
	o.MaxDeliver = 1
	return o
}

// times returns what fails so many times.
func times(n int64) func() error {
	var count atomic.Int64
	return func() error {
		if count.Add(1) <= n {
			return fmt.Errorf("the server does not take it, for the %d. time", count.Load())
		}
		return nil
	}
}

// double writes its argument twice.
func double() *farm.Jobs {
	jobs := farm.NewJobs()
	jobs.RegisterBytes("double", "1", func(_ context.Context, in []byte) ([]byte, error) {
		return bytes.Repeat(in, 2), nil
	})
	return jobs
}

// A result that the store does not take is made again, until it does, by a worker and here.
func TestBlameStore(t *testing.T) {
	for _, where := range []farm.Where{farm.Remote, farm.Here} {
		h := newHistory()
		sys := start(t)
		o := strict(h)
		o.Jobs, o.InlineLimit = double(), 10
		f := open(t, o)
		f.FailStore(times(3))
		work(t, f, o.Jobs, farm.WorkOptions{})
		in := bytes.Repeat([]byte("x"), 8)
		got, err := farm.Call(sys, f, "double", farm.Bytes(in),
			farm.CallOptions{Where: where}).Get(bg)
		require.NoError(t, err)
		require.Equal(t, bytes.Repeat(in, 2), got)
		require.Equal(t, 3, h.of(farm.NoteFailed))
		require.Equal(t, 4, h.of(farm.NoteRun)+h.of(farm.NoteLocal))
		require.Zero(t, h.of(farm.NoteDead))
	}
}

// So is an argument that it does not take, whether it is in memory or a stream.
func TestBlameStoreOfArguments(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := strict(h)
	o.Jobs, o.InlineLimit = double(), 10
	f := open(t, o)
	work(t, f, o.Jobs, farm.WorkOptions{})
	for i, in := range []farm.Input{farm.Bytes(bytes.Repeat([]byte("x"), 20)),
		farm.Stream(bytes.NewReader(bytes.Repeat([]byte("y"), 20)))} {
		f.FailStore(times(3))
		got, err := farm.Call(sys, f, "double", in, remote).Get(bg)
		require.NoError(t, err)
		require.Len(t, got, 40)
		require.Equal(t, i+1, h.of(farm.NoteRun))
	}
	// A stream that cannot be read fails its call, and that at once.
	_, err := farm.Call(sys, f, "double", farm.Stream(&breaking{}), remote).Get(bg)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// breaking can be read once.
type breaking struct{ reads int }

func (b *breaking) Read(p []byte) (int, error) {
	if b.reads++; b.reads == 1 {
		return copy(p, "a beginning of more than ten bytes"), io.EOF
	}
	return 0, io.ErrUnexpectedEOF
}

func (b *breaking) Seek(int64, int) (int64, error) { return 0, nil }

// A result that cannot be put on record is kept until it can: the function is not called again.
func TestBlameRecords(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := strict(h)
	o.Jobs = double()
	f := open(t, o)
	f.FailRecords(times(4))
	work(t, f, o.Jobs, farm.WorkOptions{})
	got, err := farm.Call(sys, f, "double", farm.Bytes([]byte("x")), remote).Get(bg)
	require.NoError(t, err)
	require.Equal(t, "xx", string(got))
	require.Equal(t, 1, h.of(farm.NoteRun))
	settled(t, f)
}

// A job that has come to a worker without a free slot has not been tried.
func TestBlameNoSlot(t *testing.T) {
	h := newHistory()
	f := open(t, strict(h))
	call, release := oneSlot(t, h, f, farm.Normal)
	call("high", farm.High)
	call("low", farm.Low)
	h.await(farm.NoteGivenBack, 2)
	require.Len(t, release(), 3)
	require.Equal(t, 3, h.of(farm.NoteRun))
	settled(t, f)
}

// A job whose worker is told to end in the middle of it is done by the next one.
func TestBlameEndedWorkers(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := strict(h)
	f := open(t, o)
	jobs := farm.NewJobs()
	var runs atomic.Int64
	jobs.Register("long", "1", func(ctx context.Context, _ farm.Input, out io.Writer) error {
		if runs.Add(1) <= 3 {
			<-ctx.Done()
			return errors.New("there was no time")
		}
		_, err := out.Write([]byte("done"))
		return err
	})
	r := farm.Call(sys, f, "long", farm.Bytes(nil),
		farm.CallOptions{Version: "1", Where: farm.Remote})
	for i := range 3 {
		stop := work(t, f, jobs, farm.WorkOptions{Slots: 1})
		h.await(farm.NoteRun, i+1)
		stop()
	}
	work(t, f, jobs, farm.WorkOptions{Slots: 1})
	got, err := r.Get(bg)
	require.NoError(t, err)
	require.Equal(t, "done", string(got))
	require.Equal(t, int64(4), runs.Load())
	settled(t, f)
}

// A job that is on its way to a worker when that is told to end has not been tried.
func TestBlameOnItsWay(t *testing.T) {
	h := newHistory()
	sys := start(t)
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	require.NoError(t, err)
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	require.True(t, srv.ReadyForConnections(time.Minute))
	p, err := proxy.New(srv.Addr().String())
	require.NoError(t, err)
	t.Cleanup(p.Close)
	o := strict(h)
	o.URL = "nats://" + p.Addr()
	g := open(t, o)
	o.URL = srv.ClientURL()
	f := open(t, o)

	ctx, end := context.WithCancel(bg)
	ended := make(chan error, 1)
	go func() { ended <- g.Work(ctx, double(), farm.WorkOptions{Slots: 1}) }()
	until := func(is func() bool) {
		t.Helper()
		require.Eventually(t, is, time.Minute, time.Millisecond)
	}
	until(func() bool {
		s, err := f.Status(bg)
		return err == nil && slices.ContainsFunc(s.Queues, func(q farm.QueueStatus) bool {
			return q.Priority == farm.Normal && q.Requests == 1
		})
	})
	require.NoError(t, p.Stall(proxy.ToClient))
	call := remote
	call.Version = "1"
	r := farm.Call(sys, f, "double", farm.Bytes([]byte("x")), call)
	until(func() bool { // the server has sent it; what it has only queued it takes back
		c, err := srv.Connz(&server.ConnzOptions{Subscriptions: true, SubscriptionsDetail: true})
		return err == nil && slices.ContainsFunc(c.Conns, func(c *server.ConnInfo) bool {
			return slices.ContainsFunc(c.SubsDetail, func(s server.SubDetail) bool {
				return s.Msgs > 0 && inboxOfWorker.MatchString(s.Subject)
			})
		})
	})
	end()
	require.NoError(t, p.Heal())
	require.NoError(t, <-ended)
	require.Zero(t, h.of(farm.NoteRun))
	work(t, f, double(), farm.WorkOptions{Slots: 1})
	got, err := get(r)
	require.NoError(t, err)
	require.Equal(t, "xx", string(got))
	require.Equal(t, 1, h.of(farm.NoteRun))
	settled(t, f)
}

// inboxOfWorker is where jobs come to a worker, from one queue.
var inboxOfWorker = regexp.MustCompile(`^_INBOX\.\w+\.\d$`)

// Of two calls that wait for what runs here, the end of the one does not end the attempts for the
// other.
func TestBlameOneOfTwoHere(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := quick(h)
	ctx, cancel := context.WithCancelCause(bg)
	second := make(chan struct{})
	o.Jobs = farm.NewJobs()
	runs := 0
	o.Jobs.RegisterBytes("flaky", "1", func(context.Context, []byte) ([]byte, error) {
		if runs++; runs > 1 {
			return []byte("done"), nil
		}
		<-second
		cancel(errors.New("the user has gone"))
		h.await(farm.NoteSettled, 1)
		return nil, errors.New("not now")
	})
	f := open(t, o)
	here := farm.CallOptions{Where: farm.Here, Context: ctx}
	first := farm.Call(sys, f, "flaky", farm.Bytes(nil), here)
	h.await(farm.NoteLocal, 1)
	here.Context = nil
	other := farm.Call(sys, f, "flaky", farm.Bytes(nil), here)
	entered(t, f, 2)
	close(second)
	got, err := other.Get(bg)
	require.NoError(t, err)
	require.Equal(t, "done", string(got))
	_, err = first.Get(bg)
	require.ErrorContains(t, err, "the user has gone")
}
