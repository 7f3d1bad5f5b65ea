package farm

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph"
)

// CallOptions says more about a call. The zero value is usable.
type CallOptions struct {
	Version  string            // default: the only one that is registered in this process
	Priority Priority          // of the job in the queue
	After    []taskgraph.Event // what must be complete before the call begins; a failure skips it
	From     []*Result         // calls whose results are further inputs, after those of the Input

	// Context, if not nil, ends the call: its event fails with the cause. If nobody else in this
	// process waits for the same work, that is taken out of the queue, or its function is told.
	Context context.Context

	// Timeout is how long the call may take from when its prerequisites are complete: then it fails
	// with context.DeadlineExceeded, and the job is dropped. Default: for ever. At most 366
	// days.
	Timeout time.Duration

	Where Where // where the job runs; default Auto
}

// Where says where a job runs.
type Where uint8

const (
	Auto   Where = iota // in this process if that is cheaper, or if there is no farm
	Here                // in this process
	Remote              // by a worker, if there is a farm
)

// A Result is what a call gives. Any goroutine may call its methods.
type Result struct {
	f      *Farm
	sys    *taskgraph.System
	ev     taskgraph.Event // of the task of the call
	done   taskgraph.Event // held by it
	id     jobID
	in     Input
	opts   CallOptions
	stage  stage
	fl     *flight // if this call drives it
	tries  int     // in this process
	spared int     // runs here that do not count among them

	mu      park.Mutex
	settled bool
	started bool // done is there
	rec     *record
	err     error
	why     string // or "" as long as there is no reason
	reason  reason
	stop    []func() bool
}

type stage uint8

const (
	begin stage = iota
	looked
	running
)

// Call launches a call of a job on l, and returns its result, whose event can be waited for and be
// a prerequisite like that of any task. It does not block. A call that cannot be made fails. It
// panics if f is nil.
func Call(l taskgraph.Launcher, f *Farm, job string, in Input, o CallOptions) *Result {
	if f == nil {
		panic("farm: a nil Farm")
	}
	r := &Result{f: f, sys: systemOf(l), id: jobID{job, o.Version}, in: in, opts: o}
	t := l.Task(taskgraph.RunJob(r)).Name("farm: " + job).After(o.After...)
	for _, from := range o.From {
		t.After(from.ev)
	}
	r.ev = t.Event()
	t.Launch()
	return r
}

// systemOf returns the system that l begins tasks of.
func systemOf(l taskgraph.Launcher) *taskgraph.System {
	switch l := l.(type) {
	case *taskgraph.System:
		return l
	case interface{ System() *taskgraph.System }:
		return l.System()
	}
	panic("farm: a Launcher that is no System and does not name one")
}

// Run is the body of the call's task, and no method for users. It never blocks: what speaks to the
// server is done by the submitters, and the task is held open, or goes on in another round.
func (r *Result) Run(c *taskgraph.Context) error {
	switch r.stage {
	case begin:
		return r.begin(c)
	case looked:
		return r.decide(c)
	default:
		return r.runHere(c)
	}
}

func (r *Result) begin(c *taskgraph.Context) error {
	f := r.f
	if ctx := r.opts.Context; ctx != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", graphevent.ErrCanceled, context.Cause(ctx))
	}
	if err := r.complete(); err != nil {
		return err
	}
	here := f.opts.Jobs.lookup(r.id) != nil
	switch {
	case f.isLocal() && !here:
		return fmt.Errorf("%w: %s %s is not registered here, and there is no farm", ErrUnknown,
			r.id.name, r.id.version)
	case r.opts.Where == Here && !here:
		return fmt.Errorf("%w: %s %s is not registered here", ErrUnknown, r.id.name, r.id.version)
	case f.isLocal():
		r.explain(whyAlone, 0)
	case r.opts.Where == Auto && here && f.costs.trivial(r.id):
		r.explain(whyTrivial, 0)
	default:
		return r.join(c)
	}
	r.arm(c)
	r.stage = running
	return r.runHere(c)
}

// complete finds the version and collects the inputs.
func (r *Result) complete() (err error) {
	if r.id.version == "" {
		if r.id.version, err = r.f.opts.Jobs.only(r.id.name); err != nil {
			return err
		}
	}
	if err = errFirst(checkName(r.id.name), checkName(r.id.version)); err != nil {
		return err
	}
	if r.opts.Priority >= priorities {
		return fmt.Errorf("%w: priority %d", ErrInvalid, r.opts.Priority)
	}
	for _, from := range r.opts.From {
		rec := from.record()
		if rec == nil {
			return graphevent.ErrForgotten
		}
		r.in = r.in.withResult(rec)
	}
	if r.opts.Timeout < 0 || r.opts.Timeout > maxTimeout {
		return fmt.Errorf("%w: a Timeout of %v", ErrInvalid, r.opts.Timeout)
	}
	if len(r.in.refs) > maxRefs {
		return fmt.Errorf("%w: %d references", ErrTooLarge, len(r.in.refs))
	}
	return nil
}

// arm makes the end of the context and of the time allowed end the call, whose done event is made.
func (r *Result) arm(c *taskgraph.Context) {
	done := c.System().Name(c.System().NewEvent(), "farm: result of "+r.id.name)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.started = done, true
	if ctx := r.opts.Context; ctx != nil {
		r.stop = append(r.stop, context.AfterFunc(ctx, func() { r.leave(context.Cause(ctx)) }))
	}
	if d := r.opts.Timeout; d > 0 {
		t := time.AfterFunc(d, func() { r.leave(context.DeadlineExceeded) })
		r.stop = append(r.stop, t.Stop)
	}
}

// untilSettled returns a context that ends with the call, or with the farm.
func (r *Result) untilSettled() context.Context {
	ctx, cancel := context.WithCancel(r.f.ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.settled {
		cancel()
	} else {
		r.stop = append(r.stop, func() bool { cancel(); return true })
	}
	return ctx
}

// leave ends this call alone, and the work if nobody else in this process waits for it.
func (r *Result) leave(err error) {
	r.mu.Lock()
	fl := r.fl
	r.mu.Unlock()
	if fl != nil {
		r.f.dropWaiter(fl, r)
	}
	r.settle(nil, err)
}

// settle completes the call. Only the first one counts.
func (r *Result) settle(rec *record, err error) {
	r.mu.Lock()
	if r.settled {
		r.mu.Unlock()
		return
	}
	r.settled, r.err = true, err
	if err == nil {
		r.rec = rec
	}
	stop, done, started, fl := r.stop, r.done, r.started, r.fl
	r.stop = nil
	r.mu.Unlock()
	for _, f := range stop {
		f()
	}
	if !started {
		return
	}
	n := Note{What: NoteSettled, Job: r.id.String(), Err: err}
	if fl != nil {
		n.Key = fl.key
	}
	if rec != nil {
		n.Result = rec.ref.Hash
	}
	r.f.note(n)
	if err != nil {
		done.Fail(err)
	} else {
		done.Trigger()
	}
}

func (id jobID) String() string { return id.name + " " + id.version }

// join makes the call one of those that wait for its piece of work. The first of them drives it.
func (r *Result) join(c *taskgraph.Context) error {
	r.arm(c)
	ready := c.System().NewEvent()
	r.stage = looked
	f := r.f
	f.keepAwake(c, r)
	if r.in.stream == nil {
		if r.enter() {
			f.ops.add(func() { f.look(r.fl); ready.Trigger() })
			c.Again(ready)
			return nil
		}
		c.DontCompleteUntil(r.done)
		return nil
	}
	// What is a stream must be read before it is known what the work is.
	ctx := r.untilSettled()
	f.ops.add(func() {
		if err := f.storeStream(ctx, &r.in); err != nil {
			r.settle(nil, err)
		} else if r.enter() {
			f.look(r.fl)
		}
		ready.Trigger()
	})
	c.Again(ready)
	return nil
}

// enter finds or makes the flight, and reports whether this call drives it.
func (r *Result) enter() bool {
	fl, first := r.f.enter(r)
	if fl.driver != r {
		r.explain(whyShared, 0)
	}
	r.mu.Lock()
	r.fl = fl
	settled := r.settled
	r.mu.Unlock()
	if settled { // it ended before it had entered
		r.f.dropWaiter(fl, r)
	}
	return first
}

// decide is the round after the farm was asked for the result.
func (r *Result) decide(c *taskgraph.Context) error {
	fl, f := r.fl, r.f
	if fl == nil || fl.driver != r || f.isOver(fl) {
		c.DontCompleteUntil(r.done)
		return nil
	}
	if r.place(c) {
		r.stage = running
		return r.runHere(c)
	}
	f.ops.add(func() { f.publish(fl, false) })
	c.DontCompleteUntil(r.done)
	return nil
}

// storeStream reads a stream, stores it unless it is there, and makes it a reference. It fails if
// the stream does; what the server does not take it is given again, until ctx ends.
func (f *Farm) storeStream(ctx context.Context, in *Input) error {
	read := func(w io.Writer) (n int64, err error) {
		if _, err = in.stream.Seek(0, io.SeekStart); err == nil {
			n, err = io.Copy(w, in.stream)
		}
		return n, err
	}
	h := sha256.New()
	n, err := read(h)
	if err != nil {
		return err
	}
	in.argRef = Ref{Hash(h.Sum(nil)), n}
	if err = f.putContent(ctx, in.argRef, func() (io.Reader, error) {
		_, err := in.stream.Seek(0, io.SeekStart)
		return in.stream, err
	}); err != nil {
		return err
	}
	in.stream, in.inline = nil, false
	return nil
}
