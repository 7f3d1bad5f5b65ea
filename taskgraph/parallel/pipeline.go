package parallel

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// Pipeline draws values from source until that returns false, and passes each through all stages,
// in their order. At most tokens values are on their way at a time; a worker carries one through as
// many stages as it can. Source is called by one goroutine at a time, not always the same. Pipeline
// returns when all calls have. It panics if tokens is not positive, or if ctx or source is nil.
//
// After a failure nothing more is drawn: an error of a stage, which is returned, a panic, a Goexit,
// or the end of ctx. What was drawn before goes on through all its stages, so no value is lost on
// its way but the one whose stage failed; that one goes no further. The first failure in time is
// returned; at the end of ctx that is graphevent.ErrCanceled with the cause. If the system is shut
// down and gives up, values can be left on their way, and the error is graphevent.ErrClosed.
//
// The caller waits, and takes no part unless it is the body of a task. What a call of a stage did
// synchronizes before the next stage of that value, and before the next call of the same stage
// unless that is parallel. Nothing is allocated for a value.
//
// As the pipelines of Intel's Threading Building Blocks: MacDonald, Szafron and Schaeffer,
// "Rethinking the pipeline as object-oriented states with transformations", 2004.
func Pipeline[T any](ctx context.Context, on Launcher, tokens int, source func() (v T, ok bool),
	stages ...Stage[T]) error {
	if ctx == nil {
		panic("parallel: Pipeline with a nil context")
	}
	if tokens < 1 {
		panic("parallel: Pipeline with no tokens")
	}
	if source == nil {
		panic("parallel: Pipeline without a source")
	}
	p := &pipeline[T]{ctx: ctx, source: source, drawing: true}
	p.ended.L = &p.mu
	for _, s := range stages {
		if s.f == nil {
			panic("parallel: Pipeline with a zero Stage")
		}
		p.gates = append(p.gates, &gate[T]{Stage: s, ring: make([]*token[T], tokens)})
	}
	all := make([]token[T], tokens)
	for i := range all {
		all[i].p = p
		p.free = append(p.free, &all[i])
	}
	return p.start(on)
}

// A pipeline is a call of Pipeline.
type pipeline[T any] struct {
	ctx    context.Context
	source func() (T, bool)
	gates  []*gate[T]
	done   taskgraph.Event // triggered when nothing is on its way and nothing will be

	mu      sync.Mutex
	free    []*token[T]
	live    int  // tokens that are not free
	drawing bool // a token is at the source, or about to be
	dry     bool // nothing more is drawn
	drawn   uint64
	err     error

	working int  // goroutines inside
	over    bool // nobody may come in any more
	ended   sync.Cond
}

// A token carries one value after another through the stages.
type token[T any] struct {
	p      *pipeline[T]
	v      T
	number uint64
	at     int  // the stage; -1: the source
	inside bool // it has been let into the stage
	failed bool // it passes the other stages, without a call
}

// start runs the pipeline and waits for it.
func (p *pipeline[T]) start(on Launcher) error {
	t := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	p.live, t.at = 1, -1
	root := on.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		p.done = c.System().NewEvent()
		c.DontCompleteUntil(p.done)
		return t.Run(c)
	}))
	if _, outside := on.(*taskgraph.System); !outside {
		// What a task with a context launches does not run when that ends, but a token must go on.
		root = root.Context(context.Background())
	}
	err := on.WaitUntilTasksComplete(context.Background(), root.Launch())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for p.working > 0 { // a shutdown that gave up has ended the wait
		p.ended.Wait()
	}
	if p.err != nil {
		return p.err
	}
	return err
}

// Run carries the token on. It implements taskgraph.Job.
func (t *token[T]) Run(c *taskgraph.Context) error {
	p := t.p
	p.mu.Lock()
	if p.over {
		p.mu.Unlock()
		return nil
	}
	p.working++
	p.mu.Unlock()
	defer p.leave()
	p.carry(t, c)
	return nil
}

// leave is the last thing that a goroutine inside does. The last one to leave when there is nothing
// more to carry ends the wait of start, which then finds nobody inside.
func (p *pipeline[T]) leave() {
	p.mu.Lock()
	p.working--
	last := p.working == 0
	over := last && p.dry && p.live == 0
	if last {
		p.ended.Signal()
	}
	p.mu.Unlock()
	if over {
		p.done.Trigger()
	}
}

// carry carries t on until it is left behind, or there is nothing more to carry.
func (p *pipeline[T]) carry(t *token[T], c *taskgraph.Context) {
	var in *gate[T] // whose function was called and did not come back
	defer func() {
		if in == nil {
			return
		}
		// Goexit: others carry on from here.
		if next := in.leave(); next != nil {
			p.launch(next, c)
		}
		t.at++
		p.launch(t, c)
	}()
	for {
		if t.at < 0 {
			if !p.draw(t, c) {
				return
			}
			t.at = 0
		}
		for ; t.at < len(p.gates); t.at++ {
			g := p.gates[t.at]
			if t.failed && g.mode != modeInOrder {
				continue
			}
			if !t.inside && !g.enter(t) {
				return
			}
			t.inside = false
			if !t.failed {
				in = g
				p.call(g, t)
				in = nil
			}
			if next := g.leave(); next != nil {
				p.launch(next, c)
			}
		}
		if !p.retire(t) {
			return
		}
	}
}

// call calls the function of a stage.
func (p *pipeline[T]) call(g *gate[T], t *token[T]) {
	returned := false
	defer func() {
		if !returned {
			t.failed = true
			p.fail(thrown(recover()))
		}
	}()
	v, err := g.f(t.v)
	t.v = v
	if err != nil {
		t.failed = true
		p.fail(err)
	}
	returned = true
}

// thrown returns the failure of a function that did not return, after which recover returned v. A
// Goexit may go on although there was a panic to recover from, in a deferred function on its way.
func thrown(v any) error {
	if v == nil {
		return graphevent.ErrGoexit
	}
	return &graphevent.PanicError{Value: v, Stack: debug.Stack()}
}

// fail notes why the pipeline ends, and ends the drawing.
func (p *pipeline[T]) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dry = true
	if p.err == nil {
		p.err = err
	}
}

// draw draws a value for t, which has the right to, and passes the right on. It returns false if
// there is none: then t is free.
func (p *pipeline[T]) draw(t *token[T], c *taskgraph.Context) bool {
	ok := false
	var next *token[T]
	defer func() { // also if the source ends the goroutine
		p.mu.Lock()
		p.drawing = false
		if ok {
			t.number = p.drawn
			p.drawn++
			if n := len(p.free); n > 0 && !p.dry {
				next = p.free[n-1]
				p.free = p.free[:n-1]
				p.live++
				p.drawing, next.at = true, -1
			}
			p.mu.Unlock()
			if next != nil {
				p.launch(next, c)
			}
			return
		}
		p.dry = true
		p.release(t)
	}()
	ok = p.fromSource(t)
	return ok
}

// fromSource calls the source.
func (p *pipeline[T]) fromSource(t *token[T]) (ok bool) {
	p.mu.Lock()
	dry := p.dry
	p.mu.Unlock()
	if dry {
		return false
	}
	if p.ctx.Err() != nil {
		p.fail(&canceled{context.Cause(p.ctx)})
		return false
	}
	returned := false
	defer func() {
		if !returned {
			p.fail(thrown(recover()))
		}
	}()
	t.v, ok = p.source()
	returned = true
	return ok
}

// retire ends the way of t, and reports whether it is to draw again; if not, it is free.
func (p *pipeline[T]) retire(t *token[T]) bool {
	p.mu.Lock()
	t.failed = false
	if !p.drawing && !p.dry {
		p.drawing, t.at = true, -1
		p.mu.Unlock()
		return true
	}
	p.release(t)
	return false
}

// release frees t. The caller holds the lock, and release gives it back.
func (p *pipeline[T]) release(t *token[T]) {
	var zero T
	t.v = zero
	p.free = append(p.free, t)
	p.live--
	p.mu.Unlock()
}

// launch makes a task of its own carry t.
func (p *pipeline[T]) launch(t *token[T], c *taskgraph.Context) {
	if e := c.Spawn(taskgraph.RunJob(t)); e.IsComplete() && errors.Is(e.Err(), graphevent.ErrFull) {
		p.carry(t, c) // there is no room for a task
	}
}

// canceled says that a pipeline ended with its context.
type canceled struct{ cause error }

func (e *canceled) Error() string {
	return graphevent.ErrCanceled.Error() + ": " + e.cause.Error()
}
func (e *canceled) Unwrap() []error { return []error{graphevent.ErrCanceled, e.cause} }
