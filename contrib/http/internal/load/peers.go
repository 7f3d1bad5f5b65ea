package load

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/panjf2000/ants/v2"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	heddlehttp "github.com/heddle-go/heddle/contrib/http"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// How many requests may wait, where there is a bound.
const (
	maxBatch = 16
	maxClick = 256
)

// A way is one of having the handlers of a server run.
type way struct {
	name, about string
	more        int // processors of Go's that the server has beyond the number of workers
	// build wraps the handlers for clicks and for batch work. Its end is called when no handler
	// runs any more.
	build func(workers int, click, batch http.Handler) (c, b http.Handler, end func() error,
		err error)
}

var ways = []way{
	{"goroutines", "net/http as it is", 0, goroutines},
	{"errgroup", "all through one errgroup with a limit of a goroutine for each worker", 0, group},
	{"ants", "all through one pool of ants with a bounded queue", 0, antsPool},
	{"semaphore", "batch work through a semaphore, half the workers; clicks as they are", 0, limited},
	{"heddle", "two classes, clicks with PriorityHigh; half the workers are for clicks alone", 0,
		func(workers int, click, batch http.Handler) (c, b http.Handler, end func() error,
			err error) {
			return classes(taskgraph.Options{Workers: workers}, click, batch)
		}},
	{"heddle-all", "two classes, but batch work may use all workers, which it gives up by Yield", 0,
		func(workers int, click, batch http.Handler) (c, b http.Handler, end func() error,
			err error) {
			return classes(taskgraph.Options{Workers: workers, Foreground: -1}, click, batch)
		}},
	{"heddle-more", "the same as heddle-all, with a Go processor more than workers", 1,
		func(workers int, click, batch http.Handler) (c, b http.Handler, end func() error,
			err error) {
			return classes(taskgraph.Options{Workers: workers, Foreground: -1}, click, batch)
		}},
}

func goroutines(_ int, click, batch http.Handler) (c, b http.Handler, end func() error,
	err error) {
	return click, batch, func() error { return nil }, nil
}

// waited returns the handler that gives what h does to run, and waits until that is done. If it is
// refused it says so.
func waited(h http.Handler, run func(f func()) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		done := make(chan struct{})
		if err := run(func() { defer close(done); h.ServeHTTP(w, r) }); err != nil {
			w.Header().Set("Retry-After", strconv.Itoa(1))
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		<-done
	})
}

func group(workers int, click, batch http.Handler) (c, b http.Handler, end func() error,
	err error) {
	var g errgroup.Group
	g.SetLimit(workers)
	run := func(f func()) error {
		g.Go(func() error { f(); return nil })
		return nil
	}
	return waited(click, run), waited(batch, run), g.Wait, nil
}

func antsPool(workers int, click, batch http.Handler) (c, b http.Handler, end func() error,
	err error) {
	p, err := ants.NewPool(workers, ants.WithMaxBlockingTasks(maxBatch+maxClick))
	if err != nil {
		return nil, nil, nil, err
	}
	end = func() error { return p.ReleaseTimeout(10 * time.Second) }
	return waited(click, p.Submit), waited(batch, p.Submit), end, nil
}

func limited(workers int, click, batch http.Handler) (c, b http.Handler, end func() error,
	err error) {
	units := semaphore.NewWeighted(int64(max(workers/2, 1)))
	var waiting atomics.Int64
	b = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := waiting.Add(1)
		if n <= maxBatch && units.Acquire(r.Context(), 1) == nil {
			waiting.Add(-1)
			defer units.Release(1)
			batch.ServeHTTP(w, r)
			return
		}
		waiting.Add(-1)
		w.Header().Set("Retry-After", strconv.Itoa(1))
		http.Error(w, "too many wait", http.StatusServiceUnavailable)
	})
	return click, b, func() error { return nil }, nil
}

func classes(o taskgraph.Options, click, batch http.Handler) (c, b http.Handler,
	end func() error, err error) {
	sys := taskgraph.Start(o)
	pool := heddlehttp.NewPool(sys)
	c = pool.NewClass(heddlehttp.Options{
		Name: "clicks", Priority: taskgraph.PriorityHigh, MaxWaiting: maxClick}).Handler(click)
	b = pool.NewClass(heddlehttp.Options{Name: "batch",
		Priority: taskgraph.PriorityBackgroundNormal, MaxWaiting: maxBatch}).Handler(batch)
	return c, b, func() error { return sys.Shutdown(context.Background()) }, nil
}
