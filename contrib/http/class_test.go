package heddlehttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	heddlehttp "github.com/heddle-go/heddle/contrib/http"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestBound fills a class, whose next request is refused, and then empties it in the order of
// arrival.
func TestBound(t *testing.T) {
	alone(t, func(t *testing.T, _ *taskgraph.System, pool *heddlehttp.Pool) {
		class := pool.NewClass(heddlehttp.Options{
			Name: "pictures", MaxWaiting: 3, RetryAfter: 1500 * time.Millisecond})
		l := newLatch()
		h := class.Handler(l)
		replies := []*reply{ask(t.Context(), h, "/0")}
		require.Equal(t, "/0", <-l.came)
		for i := 1; i <= 3; i++ {
			replies = append(replies, ask(t.Context(), h, fmt.Sprint("/", i)))
			until(t, func() bool { return class.Stats().Waiting == i })
		}

		refused := ask(t.Context(), h, "/4")
		refused.is(t, http.StatusServiceUnavailable)
		require.Equal(t, "2", refused.Header().Get("Retry-After"))
		require.Equal(t, "pictures: too many of them wait\n", refused.Body.String())

		close(l.open)
		for _, p := range replies {
			p.is(t, http.StatusOK)
		}
		for i := 1; i <= 3; i++ {
			require.Equal(t, fmt.Sprint("/", i), <-l.came)
		}
		require.Equal(t, heddlehttp.Stats{Served: 4, Refused: 1}, class.Stats())
	})
}

// TestGone has clients go away while they wait: their handlers are not called, their places are
// free at once, and the system keeps no more tasks than the bound.
func TestGone(t *testing.T) {
	alone(t, func(t *testing.T, sys *taskgraph.System, pool *heddlehttp.Pool) {
		class := pool.NewClass(heddlehttp.Options{MaxWaiting: 2})
		l := newLatch()
		h := class.Handler(l)
		first := ask(t.Context(), h, "/first")
		require.Equal(t, "/first", <-l.came)
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			gone := []*reply{ask(ctx, h, "/gone"), ask(ctx, h, "/gone")}
			until(t, func() bool { return class.Stats().Waiting == 2 })
			cancel()
			for _, p := range gone {
				<-p.done
			}
			require.Zero(t, class.Stats().Waiting)
		}
		require.LessOrEqual(t, sys.Stats().Live, int64(3))

		last := ask(t.Context(), h, "/last")
		until(t, func() bool { return class.Stats().Waiting == 1 })
		close(l.open)
		first.is(t, http.StatusOK)
		last.is(t, http.StatusOK)
		require.Equal(t, "/last", <-l.came)
		require.Empty(t, l.came)
		require.Equal(t, heddlehttp.Stats{Served: 2, Gone: 40}, class.Stats())
	})
}

// TestGoneFromTheMiddle takes each one of three that wait out of the list.
func TestGoneFromTheMiddle(t *testing.T) {
	for out := range 3 {
		alone(t, func(t *testing.T, _ *taskgraph.System, pool *heddlehttp.Pool) {
			class := pool.NewClass(heddlehttp.Options{})
			l := newLatch()
			h := class.Handler(l)
			replies := []*reply{ask(t.Context(), h, "/")}
			<-l.came
			ctx, cancel := context.WithCancel(t.Context())
			var want []string
			for i := range 3 {
				of, path := t.Context(), fmt.Sprint("/", i)
				if i == out {
					of = ctx
				} else {
					want = append(want, path)
				}
				replies = append(replies, ask(of, h, path))
				until(t, func() bool { return class.Stats().Waiting == i+1 })
			}
			cancel()
			<-replies[out+1].done
			close(l.open)
			for _, p := range replies {
				<-p.done
			}
			require.Equal(t, want, []string{<-l.came, <-l.came})
			require.Equal(t, heddlehttp.Stats{Served: 3, Gone: 1}, class.Stats())
		})
	}
}

// TestDeadline lets a deadline pass while a request waits, and while a handler runs.
func TestDeadline(t *testing.T) {
	alone(t, func(t *testing.T, _ *taskgraph.System, pool *heddlehttp.Pool) {
		class := pool.NewClass(heddlehttp.Options{Deadline: time.Millisecond})
		began, open := make(chan struct{}), make(chan struct{})
		var ended error
		running := ask(t.Context(), pool.NewClass(heddlehttp.Options{}).Handler(http.HandlerFunc(
			func(http.ResponseWriter, *http.Request) { close(began); <-open })), "/")
		<-began
		waited := ask(t.Context(), class.Handler(newLatch()), "/waited")
		waited.is(t, http.StatusServiceUnavailable)
		require.Equal(t, "1", waited.Header().Get("Retry-After"))
		require.Equal(t, heddlehttp.Stats{Expired: 1}, class.Stats())
		close(open)
		running.is(t, http.StatusOK)

		// The next one is called before its millisecond is over.
		late := ask(t.Context(), class.Handler(http.HandlerFunc(
			func(_ http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				ended = heddlehttp.Yield(r.Context())
			})), "/late")
		late.is(t, http.StatusOK)
		require.ErrorIs(t, ended, context.DeadlineExceeded)
		require.Equal(t, heddlehttp.Stats{Served: 1, Expired: 1}, class.Stats())
	})
}

// TestMaxRunning has a worker left for others.
func TestMaxRunning(t *testing.T) {
	_, pool := start(t, 2)
	class := pool.NewClass(heddlehttp.Options{MaxRunning: 1})
	l := newLatch()
	a, b := ask(t.Context(), class.Handler(l), "/a"), ask(t.Context(), class.Handler(l), "/b")
	<-l.came
	until(t, func() bool { return class.Stats().Waiting == 1 })
	other := pool.NewClass(heddlehttp.Options{}).Handler(http.NotFoundHandler())
	ask(t.Context(), other, "/c").is(t, http.StatusNotFound)
	require.Equal(t, heddlehttp.Stats{Running: 1, Waiting: 1}, class.Stats())
	close(l.open)
	a.is(t, http.StatusOK)
	b.is(t, http.StatusOK)
}

// TestSystemGivesUp shuts the system down while a handler runs and requests wait: these are
// refused, and none hangs.
func TestSystemGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // as in alone
		sys := taskgraph.Start(taskgraph.Options{Workers: 1, Park: sleepevent.ParkGo})
		class := heddlehttp.NewPool(sys).NewClass(heddlehttp.Options{})
		l := newLatch()
		running := ask(t.Context(), class.Handler(l), "/running")
		<-l.came
		waiting := ask(t.Context(), class.Handler(l), "/waiting")
		<-waiting.queued
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var stuck *taskgraph.StuckError
		require.ErrorAs(t, sys.Shutdown(ctx), &stuck)

		waiting.is(t, http.StatusServiceUnavailable)
		late := ask(t.Context(), class.Handler(l), "/late")
		late.is(t, http.StatusServiceUnavailable)
		require.Equal(t, "requests: the server takes no more\n", late.Body.String())
		close(l.open)
		running.is(t, http.StatusOK)
		require.Equal(t, heddlehttp.Stats{Served: 1, Refused: 2}, class.Stats())
		time.Sleep(time.Minute) // of the bubble: the system, which was given up, ends
	})
}

// TestFullSystem refuses a request whose task the system refuses.
func TestFullSystem(t *testing.T) {
	sys := taskgraph.Start(taskgraph.Options{Workers: 1, MaxTasks: 1})
	defer func() { require.NoError(t, sys.Shutdown(t.Context())) }()
	class := heddlehttp.NewPool(sys).NewClass(heddlehttp.Options{})
	l := newLatch()
	running := ask(t.Context(), class.Handler(l), "/running")
	<-l.came
	ask(t.Context(), class.Handler(l), "/full").is(t, http.StatusServiceUnavailable)
	close(l.open)
	running.is(t, http.StatusOK)
}

// TestNestedFailure has a handler whose part fails after it has returned: the request was served,
// and the next one is.
func TestNestedFailure(t *testing.T) {
	_, pool := start(t, 1)
	class := pool.NewClass(heddlehttp.Options{})
	h := class.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		heddlehttp.Worker(r.Context()).Nest(taskgraph.Try(func() error { return errors.New("no") }))
	}))
	for range 3 {
		ask(t.Context(), h, "/").is(t, http.StatusOK)
	}
	require.Equal(t, heddlehttp.Stats{Served: 3}, class.Stats())
}

func TestOutsideOfAHandler(t *testing.T) {
	require.Nil(t, heddlehttp.Worker(t.Context()))
	require.NoError(t, heddlehttp.Yield(t.Context()))
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	cancel(why)
	require.Equal(t, why, heddlehttp.Yield(ctx))
}

func TestMisuse(t *testing.T) {
	_, pool := start(t, 1)
	require.Panics(t, func() { heddlehttp.NewPool(nil) })
	require.Panics(t, func() { pool.NewClass(heddlehttp.Options{}).Handler(nil) })
	for _, o := range []heddlehttp.Options{
		{Priority: taskgraph.PriorityBackgroundLow + 1}, {MaxWaiting: -1}, {MaxRunning: -1},
		{Deadline: -1}, {RetryAfter: -1}, {MaxBody: -1},
	} {
		require.Panics(t, func() { pool.NewClass(o) }, "%+v", o)
	}
}

// TestMaxBody reads bodies before there is a worker for the handler.
func TestMaxBody(t *testing.T) {
	_, pool := start(t, 1)
	class := pool.NewClass(heddlehttp.Options{MaxBody: 5})
	h := class.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, err := body.ReadFrom(r.Body)
		fmt.Fprintf(w, "%s %v", &body, err)
	}))
	post := func(body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/", bytes.NewBufferString(body)))
		return w
	}
	require.Equal(t, "12345 <nil>", post("12345").Body.String())
	require.Equal(t, http.StatusRequestEntityTooLarge, post("123456").Code)

	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/", broken{}))
	require.Equal(t, http.StatusBadRequest, w.Code)
	require.Equal(t, heddlehttp.Stats{Served: 1, TooLong: 1, Gone: 1}, class.Stats())
}

// broken is the body of a client that goes away.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }
