package farm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/farm/internal/proxy"
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// A history is what has happened, and lets tests wait for it.
type history struct {
	mu    sync.Mutex
	more  sync.Cond
	notes []farm.Note
}

func newHistory() *history {
	h := &history{}
	h.more.L = &h.mu
	return h
}

func (h *history) observe(n farm.Note) {
	h.mu.Lock()
	h.notes = append(h.notes, n)
	h.mu.Unlock()
	h.more.Broadcast()
}

func (h *history) count(w farm.What) (n int) {
	for _, x := range h.notes {
		if x.What == w {
			n++
		}
	}
	return n
}

// of returns how often something has happened.
func (h *history) of(w farm.What) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count(w)
}

// await waits until something has happened n times.
func (h *history) await(w farm.What, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.count(w) < n {
		h.more.Wait()
	}
}

// awaitAny waits until any of some things has happened n times in all.
func (h *history) awaitAny(n int, of ...farm.What) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		sum := 0
		for _, w := range of {
			sum += h.count(w)
		}
		if sum >= n {
			return
		}
		h.more.Wait()
	}
}

// quick returns options with which a failure is soon tried again, and a result soon looked for. No
// worker is taken for lost, however long a busy machine keeps it from saying that it goes on.
func quick(h *history) farm.Options {
	return farm.Options{Observe: h.observe, AckWait: time.Hour, MaxDeliver: 3,
		RetryDelay: time.Millisecond, Recheck: 200 * time.Millisecond}
}

// losing returns options with which a worker that is lost is soon taken for that. On a busy machine
// so is one that is not, and what it has is delivered once more.
func losing(h *history) farm.Options {
	o := quick(h)
	o.AckWait = 300 * time.Millisecond
	return o
}

// settled waits until nothing is queued.
func settled(t testing.TB, f *farm.Farm) {
	t.Helper()
	require.Eventually(t, func() bool {
		s, err := f.Status(bg)
		return err == nil && s.Waiting == 0
	}, time.Minute, 5*time.Millisecond)
}

// entered waits until so many calls wait for work.
func entered(t testing.TB, f *farm.Farm, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return f.Callers() == n }, time.Minute,
		time.Millisecond)
}

// A worker that is not heard of for longer than AckWait: its job is given to another one, whose
// result counts, and its own, which comes later and is another, does not.
func TestOnceLateSecondCompletion(t *testing.T) {
	h := newHistory()
	sys := start(t)
	f := open(t, losing(h))
	f.Mute()
	release := make(chan struct{})
	jobs := farm.NewJobs()
	jobs.RegisterBytes("slow", "1", func(context.Context, []byte) ([]byte, error) {
		<-release
		return []byte("first, and late"), nil
	})
	work(t, f, jobs, farm.WorkOptions{Slots: 1})
	o := remote
	o.Version = "1"
	r := farm.Call(sys, f, "slow", farm.Bytes(nil), o)
	h.await(farm.NoteRun, 1)
	other := farm.NewJobs()
	other.RegisterBytes("slow", "1", func(context.Context, []byte) ([]byte, error) {
		return []byte("second"), nil
	})
	work(t, f, other, farm.WorkOptions{Slots: 1})
	b, err := r.Get(bg)
	require.NoError(t, err)
	require.Equal(t, "second", string(b))
	close(release)
	h.await(farm.NoteDuplicate, 1)
	require.Equal(t, 1, h.of(farm.NoteCompleted))
	again, err := farm.Call(sys, f, "slow", farm.Bytes(nil), o).Get(bg)
	require.NoError(t, err)
	require.Equal(t, "second", string(again))
	require.Equal(t, 2, h.of(farm.NoteRun))
	settled(t, f)
}

// An acknowledgement is lost: the message comes again, and its work is found done.
func TestOnceLostAck(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := losing(h)
	o.Jobs = upper()
	f := open(t, o)
	var mu sync.Mutex
	lost := 0
	f.LoseAcks(func() bool {
		mu.Lock()
		defer mu.Unlock()
		lost++
		return lost <= 2
	})
	work(t, f, o.Jobs, farm.WorkOptions{})
	b, err := farm.Call(sys, f, "upper", farm.Bytes([]byte("x")), remote).Get(bg)
	require.NoError(t, err)
	require.Equal(t, "X", string(b))
	// On a busy machine it may come again before it is done, and is done twice.
	h.awaitAny(2, farm.NoteFound, farm.NoteDuplicate)
	settled(t, f)
	require.Equal(t, 1, h.of(farm.NoteCompleted))
	require.Eventually(t, func() bool {
		return h.of(farm.NoteRun) == 1+h.of(farm.NoteDuplicate)
	}, time.Minute, time.Millisecond)
	require.Positive(t, h.of(farm.NoteFound))
}

// Many ask for the same work at the same moment, in two processes and several times in each: it is
// done once.
func TestOnceTwoSubmitters(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := farm.Options{Jobs: upper(), Listen: true, Observe: h.observe}
	f := open(t, o)
	g := open(t, farm.Options{Jobs: o.Jobs, URL: f.URL(), Observe: h.observe})
	const n = 40
	var all []*farm.Result
	gate := sys.NewEvent()
	call := remote
	call.After = []taskgraph.Event{gate}
	for i := range n {
		for _, at := range []*farm.Farm{f, g, f, g} {
			in := farm.Bytes(fmt.Append(nil, "w", i))
			all = append(all, farm.Call(sys, at, "upper", in, call))
		}
	}
	work(t, f, o.Jobs, farm.WorkOptions{})
	work(t, g, o.Jobs, farm.WorkOptions{})
	gate.Trigger()
	for i, r := range all {
		b, err := r.Get(bg)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("W", i/4), string(b))
	}
	settled(t, f)
	require.Equal(t, n, h.of(farm.NoteRun))
	require.Equal(t, n, h.of(farm.NoteCompleted))
}

// A job that fails each time is given up, kept among the dead, and fails what depends on it, with
// the cause. A call after that begins anew.
func TestDeadLetter(t *testing.T) {
	h := newHistory()
	sys := start(t)
	f := open(t, quick(h))
	var mu sync.Mutex
	runs := 0
	jobs := farm.NewJobs()
	jobs.RegisterBytes("ill", "1", func(context.Context, []byte) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if runs++; runs <= 3 {
			panic("seed 7")
		}
		return []byte("well"), nil
	})
	work(t, f, jobs, farm.WorkOptions{})
	o := remote
	o.Version = "1"
	r := farm.Call(sys, f, "ill", farm.Bytes(nil), o)
	after := sys.Task(taskgraph.Do(func() { t.Error("a dependent ran") })).After(r.Event()).Launch()
	err := sys.WaitUntilTasksComplete(bg, after)
	require.ErrorIs(t, err, graphevent.ErrSkipped)
	require.ErrorIs(t, err, farm.ErrDead)
	require.ErrorContains(t, err, "seed 7")
	var failure *farm.JobError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 3, failure.Attempts)
	_, _ = r.Get(bg)
	dead, err := f.DeadLetters(bg, 10)
	require.NoError(t, err)
	require.Len(t, dead, 1)
	require.Equal(t, "ill 1", dead[0].Job)
	require.Contains(t, dead[0].Err, "seed 7")

	b, err := farm.Call(sys, f, "ill", farm.Bytes(nil), o).Get(bg)
	require.NoError(t, err)
	require.Equal(t, "well", string(b))
	settled(t, f)
}

// A job whose workers are never heard of again is given up without another run.
func TestDeadWorkers(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := losing(h)
	o.MaxDeliver = 2
	f := open(t, o)
	f.Mute()
	release := make(chan struct{})
	jobs := farm.NewJobs()
	jobs.RegisterBytes("poison", "1", func(context.Context, []byte) ([]byte, error) {
		<-release
		return nil, nil
	})
	work(t, f, jobs, farm.WorkOptions{Slots: 3})
	_, err := farm.Call(sys, f, "poison", farm.Bytes(nil),
		farm.CallOptions{Version: "1", Where: farm.Remote}).Get(bg)
	require.ErrorIs(t, err, farm.ErrDead)
	require.ErrorContains(t, err, "lost touch")
	require.Equal(t, 2, h.of(farm.NoteRun))
	close(release)
	h.await(farm.NoteDuplicate, 2)
	settled(t, f)
}

// A worker that is taken for lost runs a job twice at a time: when that is withdrawn both are told.
func TestCancelBothRuns(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := losing(h)
	o.MaxDeliver = 2
	f := open(t, o)
	f.Mute()
	told := make(chan error, 2)
	jobs := farm.NewJobs()
	jobs.Register("wait", "1", func(ctx context.Context, _ farm.Input, _ io.Writer) error {
		<-ctx.Done()
		told <- context.Cause(ctx)
		return ctx.Err()
	})
	work(t, f, jobs, farm.WorkOptions{Slots: 2})
	ctx, cancel := context.WithCancelCause(bg)
	r := farm.Call(sys, f, "wait", farm.Bytes(nil),
		farm.CallOptions{Version: "1", Context: ctx, Where: farm.Remote})
	h.await(farm.NoteRun, 2)
	cause := errors.New("the user has gone")
	cancel(cause)
	_, err := r.Get(bg)
	require.ErrorIs(t, err, cause)
	for range 2 {
		require.ErrorContains(t, <-told, "withdrawn")
	}
	settled(t, f)
}

func TestCancel(t *testing.T) {
	h := newHistory()
	sys := start(t)
	f := open(t, quick(h))
	jobs := farm.NewJobs()
	jobs.Register("wait", "1", func(ctx context.Context, _ farm.Input, _ io.Writer) error {
		<-ctx.Done()
		return ctx.Err()
	})
	cause := errors.New("the user has gone")
	call := func() (*farm.Result, context.CancelCauseFunc) {
		ctx, cancel := context.WithCancelCause(bg)
		return farm.Call(sys, f, "wait", farm.Bytes(nil),
			farm.CallOptions{Version: "1", Context: ctx, Where: farm.Remote}), cancel
	}
	// In the queue.
	r, cancel := call()
	h.await(farm.NoteQueued, 1)
	cancel(cause)
	_, err := r.Get(bg)
	require.ErrorIs(t, err, cause)
	settled(t, f)
	require.Zero(t, h.of(farm.NoteDelivered))
	// While it runs.
	work(t, f, jobs, farm.WorkOptions{})
	r, cancel = call()
	h.await(farm.NoteRun, 1)
	cancel(cause)
	_, err = r.Get(bg)
	require.ErrorIs(t, err, cause)
	h.await(farm.NoteFailed, 1)
	settled(t, f)
	// One of two who wait.
	r, cancel = call()
	s, cancelOther := call()
	h.await(farm.NoteRun, 2)
	entered(t, f, 2)
	cancel(cause)
	_, err = r.Get(bg)
	require.ErrorIs(t, err, cause)
	require.False(t, s.Event().IsComplete())
	require.Equal(t, 1, h.of(farm.NoteFailed))
	cancelOther(cause)
	_, err = s.Get(bg)
	require.ErrorIs(t, err, cause)
	h.await(farm.NoteFailed, 2)
	// Before it begins.
	ctx, end := context.WithCancelCause(bg)
	end(cause)
	_, err = farm.Call(sys, f, "wait", farm.Bytes(nil),
		farm.CallOptions{Version: "1", Context: ctx}).Get(bg)
	require.ErrorIs(t, err, graphevent.ErrCanceled)
	require.ErrorIs(t, err, cause)
}

func TestTimeout(t *testing.T) {
	h := newHistory()
	sys := start(t)
	f := open(t, quick(h))
	r := farm.Call(sys, f, "nobody", farm.Bytes(nil),
		farm.CallOptions{Version: "1", Timeout: 50 * time.Millisecond})
	_, err := r.Get(bg)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	settled(t, f)
}

// What no message can hold is refused at once, and queues nothing.
func TestTimeoutOutOfRange(t *testing.T) {
	h := newHistory()
	sys := start(t)
	f := open(t, quick(h))
	for _, d := range []time.Duration{-1, 367 * 24 * time.Hour} {
		_, err := farm.Call(sys, f, "nobody", farm.Bytes(nil),
			farm.CallOptions{Version: "1", Timeout: d}).Get(bg)
		require.ErrorIs(t, err, farm.ErrInvalid)
	}
	require.Zero(t, h.of(farm.NoteQueued))
}

// Of two calls for the same work the one that has less time does not end what the other waits for.
func TestTimeoutIsOfOneCall(t *testing.T) {
	h := newHistory()
	sys := start(t)
	f := open(t, quick(h))
	hastyTime := func(i byte) time.Duration {
		return (time.Duration(i) + 1) * 100 * time.Millisecond
	}
	var over [20]chan struct{} // closed when the hasty call of a try is
	for i := range over {
		over[i] = make(chan struct{})
	}
	jobs := farm.NewJobs()
	jobs.RegisterBytes("slow", "1", func(ctx context.Context, in []byte) ([]byte, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-over[in[0]]:
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(5 * hastyTime(in[0])): // it takes longer than the hasty call has
			return []byte("done"), nil
		}
	})
	work(t, f, jobs, farm.WorkOptions{Slots: 1})
	// A busy machine may take longer than the hasty call has: then others are tried, with more.
	for i, met := byte(0), false; !met; i++ {
		require.Less(t, int(i), len(over), "no two calls met")
		call := func(d time.Duration) *farm.Result {
			return farm.Call(sys, f, "slow", farm.Bytes([]byte{i}),
				farm.CallOptions{Version: "1", Timeout: d, Where: farm.Remote})
		}
		before := h.of(farm.NoteRun)
		hasty := call(hastyTime(i))
		until := func(cond func() bool) {
			require.Eventually(t, func() bool {
				return cond() || hasty.Event().IsComplete()
			}, time.Minute, time.Millisecond)
		}
		until(func() bool { return h.of(farm.NoteRun) > before })
		patient := call(0)
		until(func() bool { met = f.Callers() == 2; return met })
		_, err := hasty.Get(bg)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		close(over[i])
		got, err := get(patient)
		require.NoError(t, err)
		require.Equal(t, "done", string(got))
	}
}

// oneSlot starts a worker whose only slot is taken by a job of that priority, until release is
// called. That waits for the job and the others that call has called, and returns the order in
// which they ran.
func oneSlot(t *testing.T, h *history, f *farm.Farm, first farm.Priority) (
	call func(s string, p farm.Priority), release func() []string) {
	sys := start(t)
	gate := make(chan struct{})
	var mu sync.Mutex
	var ran []string
	jobs := farm.NewJobs()
	jobs.RegisterBytes("p", "1.0", func(_ context.Context, in []byte) ([]byte, error) {
		<-gate
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, string(in))
		return nil, nil
	})
	work(t, f, jobs, farm.WorkOptions{Slots: 1})
	var all []*farm.Result
	call = func(s string, p farm.Priority) {
		all = append(all, farm.Call(sys, f, "p", farm.Bytes([]byte(s)),
			farm.CallOptions{Version: "1.0", Priority: p, Where: farm.Remote}))
	}
	call("first", first)
	h.await(farm.NoteRun, 1)
	return call, func() []string {
		close(gate)
		for _, r := range all {
			_, err := r.Get(bg)
			require.NoError(t, err)
		}
		return ran
	}
}

// While the only slot is taken, jobs of all priorities come; the highest runs first.
func TestPriorities(t *testing.T) {
	h := newHistory()
	f := open(t, quick(h))
	call, release := oneSlot(t, h, f, farm.Low)
	call("low", farm.Low)
	call("normal", farm.Normal)
	call("high", farm.High)
	h.await(farm.NoteQueued, 4)
	h.await(farm.NoteGivenBack, 2) // it has no request for another low one
	require.Equal(t, []string{"first", "high", "normal", "low"}, release())
}

// A worker that was given a longer AckWait than the first one is heard of as often as the server
// wants it, which goes by the first.
func TestAckWaitOfTheFirst(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := farm.Options{Listen: true, Observe: h.observe, AckWait: 3 * time.Second}
	f := open(t, o)
	stop := work(t, f, upper(), farm.WorkOptions{})
	_, err := farm.Call(sys, f, "upper", farm.Bytes([]byte("first")),
		farm.CallOptions{Version: "1", Where: farm.Remote}).Get(bg)
	require.NoError(t, err)
	stop()
	o.URL, o.AckWait = f.URL(), time.Hour
	g := open(t, o)
	beats := make(chan struct{}, 16)
	g.Beat(func() { beats <- struct{}{} })
	jobs := farm.NewJobs()
	jobs.RegisterBytes("upper", "1", func(ctx context.Context, _ []byte) ([]byte, error) {
		select {
		case <-beats:
			return []byte("it was heard of"), nil
		case <-time.After(time.Minute):
			return nil, farm.Permanent(errors.New("nobody would know that it goes on"))
		}
	})
	work(t, g, jobs, farm.WorkOptions{Slots: 1})
	got, err := farm.Call(sys, f, "upper", farm.Bytes(nil),
		farm.CallOptions{Version: "1", Where: farm.Remote}).Get(bg)
	require.NoError(t, err)
	require.Equal(t, "it was heard of", string(got))
}

// Nothing of the server reaches a worker any more, and what that sends arrives: its job is given to
// another one all the same.
func TestOnceHalfDead(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := losing(h)
	o.Listen = true
	f := open(t, o)
	u, err := url.Parse(f.URL())
	require.NoError(t, err)
	p, err := proxy.New(u.Host)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	u.Host = p.Addr()
	o.URL = u.String()
	o.NATS = []nats.Option{nats.PingInterval(time.Hour)} // or it would be noticed in half a minute
	g := open(t, o)
	release := make(chan struct{})
	jobs := farm.NewJobs()
	jobs.RegisterBytes("slow", "1", func(context.Context, []byte) ([]byte, error) {
		<-release
		return []byte("first, and late"), nil
	})
	work(t, g, jobs, farm.WorkOptions{Slots: 1})
	call := remote
	call.Version = "1"
	r := farm.Call(sys, f, "slow", farm.Bytes(nil), call)
	h.await(farm.NoteRun, 1)
	require.NoError(t, p.Stall(proxy.ToClient))
	other := farm.NewJobs()
	other.RegisterBytes("slow", "1", func(context.Context, []byte) ([]byte, error) {
		return []byte("second"), nil
	})
	work(t, f, other, farm.WorkOptions{Slots: 1})
	ctx, cancel := context.WithTimeout(bg, time.Minute)
	defer cancel()
	b, err := r.Get(ctx)
	require.NoError(t, p.Heal())
	close(release)
	require.NoError(t, err)
	require.Equal(t, "second", string(b))
	h.await(farm.NoteDuplicate, 1)
}

// A worker that is told to end before it could begin has not failed.
func TestWorkEndsBeforeItBegins(t *testing.T) {
	f := open(t, farm.Options{})
	ctx, cancel := context.WithCancel(bg)
	cancel()
	require.NoError(t, f.Work(ctx, upper(), farm.WorkOptions{}))
}
