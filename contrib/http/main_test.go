package heddlehttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	heddlehttp "github.com/heddle-go/heddle/contrib/http"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestMain(m *testing.M) { watch.Main(m) }

// start returns a pool on a system of its own, whose workers take every class.
func start(t *testing.T, workers int) (*taskgraph.System, *heddlehttp.Pool) {
	t.Helper()
	sys := taskgraph.Start(taskgraph.Options{Workers: workers, Foreground: -1})
	t.Cleanup(func() { require.NoError(t, sys.Shutdown(context.Background())) })
	return sys, heddlehttp.NewPool(sys)
}

// alone calls f with a pool on a system that has one worker, and adds no other while f does
// something. A busy machine could take so long for a step that the system adds one for the worker
// that a handler keeps; but in a bubble of testing/synctest no time passes meanwhile.
func alone(t *testing.T, f func(t *testing.T, sys *taskgraph.System, pool *heddlehttp.Pool)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sys := taskgraph.Start(taskgraph.Options{Workers: 1, Foreground: -1,
			Park: sleepevent.ParkGo})
		t.Cleanup(func() { require.NoError(t, sys.Shutdown(context.Background())) })
		f(t, sys, heddlehttp.NewPool(sys))
	})
}

// until waits for what other goroutines bring about.
func until(t *testing.T, is func() bool) {
	t.Helper()
	for !is() {
		if t.Context().Err() != nil {
			t.Fatal("the test is over")
		}
		runtime.Gosched()
	}
}

// A reply is what a request gets whose goroutine is one of the test.
type reply struct {
	*httptest.ResponseRecorder
	queued chan struct{} // closed when the request waits for a worker
	done   chan struct{}
}

// ask has a request served on a goroutine of its own, by a class without a deadline.
func ask(ctx context.Context, h http.Handler, path string) *reply {
	p := &reply{ResponseRecorder: httptest.NewRecorder(),
		queued: make(chan struct{}), done: make(chan struct{})}
	tell := sync.OnceFunc(func() { close(p.queued) })
	r := httptest.NewRequestWithContext(asked{ctx, tell}, "GET", path, http.NoBody)
	go func() {
		defer close(p.done)
		h.ServeHTTP(p, r)
	}()
	return p
}

// is asserts the status of a reply, when it has come.
func (p *reply) is(t *testing.T, code int) {
	t.Helper()
	<-p.done
	require.Equal(t, code, p.Code, p.Body.String())
}

// A latch is a handler that keeps its worker until it is opened, and notes whom it has served.
type latch struct {
	open chan struct{}
	came chan string // a path for each that has begun, with room for all
}

func newLatch() *latch { return &latch{open: make(chan struct{}), came: make(chan string, 100)} }

func (l *latch) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.came <- r.URL.Path
	<-l.open
}

// asked is the context of a request, which tells when somebody begins to wait for its end.
type asked struct {
	context.Context
	waits func()
}

func (a asked) Done() <-chan struct{} {
	a.waits()
	return a.Context.Done()
}
