package heddlehttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Class is a set of requests of one priority, which share a bound, in the order of their arrival.
// Make one with Pool.NewClass, and give its Handler to each route that belongs to it. Any
// goroutine may call its methods.
//
// A request that waits costs the goroutine of its connection, which net/http has anyway, some 200
// bytes, and a task of the system.
type Class struct {
	// Requests wait in a list and not in the queue of the system, so that one can leave from the
	// middle. What is queued there is a call: a task that takes the oldest request, if there is
	// one. A request that leaves makes no call void: its call serves the next one that comes.
	//
	//	I1 calls >= waiting, whenever mu is free. So each request that waits has a call.
	//	I2 calls <= MaxWaiting: a call is added only for a request that finds none.
	//
	// A call that ends without having been run, because the system has been shut down or is full,
	// takes the newest request with it, which keeps I1.
	pool    *Pool
	options Options
	limiter *taskgraph.Limiter // nil: none
	launch  func(*call)        // queues a call; the class is told by ended if it is not run

	mu      park.Mutex
	waiting list  // guarded by mu
	calls   int   // guarded by mu
	counts  Stats // guarded by mu, without Waiting

	waits atomics.Int64 // the length of the list, for those who must not wait for mu
}

// Handler returns the handler that calls h on a worker of the system, when it is the turn of its
// request. What h is given is what net/http gives, ResponseWriter included, unless
// Options.BufferResponse is set; so an http.ResponseController works. The context of its request
// is for Yield and Worker as well, and ends with the Deadline of the class.
//
// A panic of h goes on in the goroutine of the connection, where net/http logs it and closes the
// connection, as a *PanicError; http.ErrAbortHandler goes on as it is, and so does runtime.Goexit.
func (c *Class) Handler(h http.Handler) http.Handler {
	if h == nil {
		panic("heddlehttp: Handler of nil")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.serve(h, w, r) })
}

// Stats returns what was counted so far.
func (c *Class) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.counts
	s.Waiting = c.waiting.len
	return s
}

func (c *Class) serve(h http.Handler, w http.ResponseWriter, r *http.Request) {
	if c.options.Deadline > 0 {
		ctx, cancel := context.WithTimeout(r.Context(), c.options.Deadline)
		defer cancel()
		r = r.WithContext(ctx)
	}
	if c.options.MaxBody > 0 && !c.readBody(w, &r) {
		return
	}
	q := &request{class: c, handler: h, w: w, r: r, done: make(chan struct{})}
	if c.options.BufferResponse {
		q.buffer = &buffer{w: w, header: w.Header()}
		q.w = q.buffer
	}
	if !c.enter(q) {
		c.refuse(w, "too many of them wait")
		return
	}
	select {
	case <-q.done:
	case <-r.Context().Done():
		if c.leave(q) {
			// A client that has gone away gets no answer, but somebody in between may be there.
			c.refuse(w, "it waited for too long")
			return
		}
		<-q.done // the handler has been called, and w is its own until it returns
	}
	q.leaveTo(w)
}

// readBody reads the body of *r, and replaces *r by a request with what was read. It answers the
// request and returns false if that cannot be.
func (c *Class) readBody(w http.ResponseWriter, r **http.Request) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, (*r).Body, c.options.MaxBody))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		c.count(&c.counts.TooLong)
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return false
	case err != nil:
		c.count(&c.counts.Gone)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	fresh := *(*r)
	fresh.Body = io.NopCloser(bytes.NewReader(body))
	*r = &fresh
	return true
}

func (c *Class) count(n *uint64) {
	c.mu.Lock()
	*n++
	c.mu.Unlock()
}

// enter lets q wait, and sees to it that it is called. It returns false if too many wait.
func (c *Class) enter(q *request) bool {
	c.mu.Lock()
	if c.waiting.len >= c.options.MaxWaiting {
		c.counts.Refused++
		c.mu.Unlock()
		return false
	}
	c.waiting.push(q)
	c.waits.Store(int64(c.waiting.len))
	more := c.calls < c.waiting.len
	if more {
		c.calls++
	}
	c.mu.Unlock()
	if more {
		c.launch(&call{class: c})
	}
	return true
}

// launchTask queues a task that takes the oldest request.
func (c *Class) launchTask(k *call) {
	t := c.pool.sys.Task(taskgraph.RunJob(k)).Priority(c.options.Priority)
	if c.limiter != nil {
		t = t.Limit(c.limiter)
	}
	if t.Event().OnComplete(k.ended) {
		t.Launch()
	} else {
		k.ended(t.Launch().Err())
	}
}

// lost takes a call that was not run from the class, and with it a request.
func (c *Class) lost() {
	c.mu.Lock()
	c.calls--
	var q *request
	if c.calls < c.waiting.len {
		q = c.waiting.last
		c.waiting.remove(q)
		c.waits.Store(int64(c.waiting.len))
		c.counts.Refused++
	}
	c.mu.Unlock()
	if q != nil {
		q.refused = true
		close(q.done)
	}
}

// leave takes q from those that wait. It returns false if it does not wait any more.
func (c *Class) leave(q *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !q.waits {
		return false
	}
	c.waiting.remove(q)
	c.waits.Store(int64(c.waiting.len))
	if errors.Is(q.r.Context().Err(), context.DeadlineExceeded) {
		c.counts.Expired++
	} else {
		c.counts.Gone++
	}
	return true
}

// take is the beginning of a call: it returns the oldest request, or nil.
func (c *Class) take() *request {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls--
	q := c.waiting.first
	if q != nil {
		c.waiting.remove(q)
		c.waits.Store(int64(c.waiting.len))
		c.counts.Running++
	}
	return q
}

// refuse answers a request whose handler is not called.
func (c *Class) refuse(w http.ResponseWriter, why string) {
	seconds := (c.options.RetryAfter + time.Second - 1) / time.Second
	w.Header().Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	http.Error(w, c.options.Name+": "+why, http.StatusServiceUnavailable)
}

// A call is the body of a task that takes a request.
type call struct {
	class *Class
	begun bool
}

// Run is the body.
func (k *call) Run(tc *taskgraph.Context) error {
	k.begun = true
	if q := k.class.take(); q != nil {
		q.run(tc)
	}
	return nil
}

// ended is told that the task is complete.
func (k *call) ended(error) {
	if !k.begun {
		k.class.lost()
	}
}
