package assets

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/heddle-go/heddle/assets/internal/trie"
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// PipelineOptions configure a Pipeline. The zero value is usable, and has an empty Plan.
type PipelineOptions struct {
	// Plan is the first plan, which Pipeline.Plan returns to be edited.
	Plan []Pipe

	// Limits is how many pipes of a lane run at a time, where that is not the default of the Lane.
	// A lane of one's own that is not in it has a limit of 1.
	Limits map[Lane]int

	// Budget is how many bytes may be in flight: see Pipe.Bytes. Default 256 MiB.
	Budget int64

	// Retries is how often a pipe is run again that fails with Retry; default 3, negative: never.
	// Between two attempts it waits for Backoff, then for twice that each time, up to MaxBackoff;
	// the defaults are 100 ms and 10 s.
	Retries             int
	Backoff, MaxBackoff time.Duration

	// Timeout ends the context of a pipe that runs for longer. Default: never.
	Timeout time.Duration

	// Observe, if not nil, is called after each run of a pipe, by any goroutine. It must be quick.
	Observe func(Step)
}

// A Step is one run of a pipe.
type Step struct {
	ID      ID
	Type    string // as known then
	Pipe    string
	Lane    Lane
	Attempt int           // from 1 on
	Waited  time.Duration // for its turn in the lane and for the budget
	Ran     time.Duration
	Bytes   int64 // in the budget for the item
	Err     error
}

// A Pipeline is the standard Loader: it takes items through the pipes of its Plan, as tasks of a
// System. Pipes that follow each other in one lane are one task. Make one with NewPipeline; it
// needs no closing. Any number of managers of the same System may use it.
//
// Any goroutine may call the methods. A pipe that ends the goroutine with runtime.Goexit fails its
// item, and its task too.
type Pipeline struct {
	sys    *taskgraph.System
	o      PipelineOptions
	plan   *Plan
	lanes  *trie.Map[Lane, lane]
	budget budget
}

// NewPipeline returns a Pipeline on a system. The error is that of the plan. It panics at a limit
// below 1.
func NewPipeline(sys *taskgraph.System, o PipelineOptions) (*Pipeline, error) {
	plan, err := NewPlan(o.Plan...)
	if err != nil {
		return nil, err
	}
	orElse := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	orElse(&o.Backoff, 100*time.Millisecond)
	orElse(&o.MaxBackoff, 10*time.Second)
	if o.Retries == 0 {
		o.Retries = 3
	}
	if o.Budget == 0 {
		o.Budget = 256 << 20
	}
	p := &Pipeline{sys: sys, o: o, plan: plan, lanes: trie.New[Lane, lane]()}
	p.budget.init(sys, o.Budget, p.enqueue)
	for _, n := range o.Limits {
		if n < 1 {
			panic("assets: a lane with a limit below 1")
		}
	}
	return p, nil
}

// Plan returns the plan of the items that begin from now on, to be looked at and edited.
func (p *Pipeline) Plan() *Plan { return p.plan }

// InFlight returns how many bytes of the budget are taken, and the most that ever were.
func (p *Pipeline) InFlight() (now, most int64) {
	return p.budget.used.Load(), p.budget.most.Load()
}

// Load implements Loader.
func (p *Pipeline) Load(it *Item) {
	f := &flight{p: p, it: it, pipes: p.plan.now()}
	it.flight = f
	p.advance(f, nil)
}

// Promote implements Loader: Q1.
func (p *Pipeline) Promote(it *Item) {
	f := it.flight
	n := f.number.Load()
	if n%2 == 0 {
		return
	}
	if l := f.lane.Load(); l != nil {
		l.push(f, n)
	} else {
		p.budget.push(f, n)
	}
}

// lane returns the lane of that name, or nil if it is for a thread that there is not.
func (p *Pipeline) lane(name Lane) *lane {
	if name == "" {
		name = CPU
	}
	if l := p.lanes.Load(name); l != nil {
		return l
	}
	l := new(lane)
	limit, set := p.o.Limits[name]
	if thread, ok := strings.CutPrefix(string(name), threadPrefix); ok {
		threads := p.sys.Threads()
		if threads == nil {
			return nil
		}
		if l.thread, ok = threads.Lookup(thread); !ok {
			return nil
		}
	} else {
		l.blocks = name != CPU
		switch {
		case set:
		case name == CPU:
			limit = p.sys.LoopLimit()
		case name == Disk:
			limit = 8
		case name == Network:
			limit = 64
		default:
			limit = 1
		}
	}
	l.init(p, name, limit)
	l, _ = p.lanes.LoadOrStore(name, l)
	return l
}

// advance takes a flight to its next pipe and has it wait for that; or reports true if the server
// that the caller is, if it is one, is to run it here and now, in the lane in which that is then.
func (p *Pipeline) advance(f *flight, here *server) bool {
	if f.at == len(f.pipes) {
		p.finish(f, nil)
		return false
	}
	if !f.it.Wanted() {
		p.finish(f, ErrReleased)
		return false
	}
	pipe := &f.pipes[f.at]
	if pipe.awaits {
		if len(f.it.Children) > 0 {
			p.await(f)
			return false
		}
		// There is nothing to wait for, so this goes on as if there were no such pipe.
		f.it.settleSize()
		p.budget.give(f)
		f.at++
		return p.advance(f, here)
	}
	if p.o.Observe != nil {
		f.since = p.sys.Now()
	}
	if f.has == 0 && pipe.Bytes != nil {
		f.begin = f.at
		var err error
		if f.need, err = f.size(); err != nil {
			p.fail(f, err)
			return false
		}
		return p.ask(f, here)
	}
	return p.enter(f, here)
}

// ask gets f.need bytes for a flight, and goes on as advance.
func (p *Pipeline) ask(f *flight, here *server) bool {
	if f.need > p.budget.max {
		p.fail(f, fmt.Errorf("%w: %d bytes of %d in all", ErrBudget, f.need, p.budget.max))
		return false
	}
	if f.need > 0 && !p.budget.ask(f) {
		return false // enqueue is called
	}
	return p.enter(f, here)
}

// enter has a flight wait in the lane of its pipe, or reports true if the server goes on with it.
func (p *Pipeline) enter(f *flight, here *server) bool {
	l := p.lane(f.pipes[f.at].Lane)
	if l == nil {
		p.fail(f, fmt.Errorf("assets: no thread for lane %q", f.pipes[f.at].Lane))
		return false
	}
	if here != nil && l.fits(f, l == here.lane) && here.to(l) {
		return true
	}
	l.enqueue(f)
	return false
}

// enqueue has a flight wait in the lane of its pipe.
func (p *Pipeline) enqueue(f *flight) { p.enter(f, nil) }

// await gives back the bytes of a flight and has it wait for its children.
func (p *Pipeline) await(f *flight) {
	f.it.settleSize()
	p.budget.give(f)
	f.it.Await(func(err error) {
		if err != nil {
			p.finish(f, err)
			return
		}
		f.at++
		f.attempts = 0
		p.advance(f, nil)
	})
}

// run brings a flight on, as long as the server need not wait for a lane.
func (s *server) run(f *flight) {
	p := f.p
	f.begun.Store(true)
	here := true
	defer func() {
		if here { // runtime.Goexit came from a pipe
			f.attempts++
			p.fail(f, graphevent.ErrGoexit)
		}
	}()
	for here {
		if !f.it.Wanted() {
			here = false
			p.finish(f, ErrReleased)
			return
		}
		err := s.call(f)
		here = false
		here = p.after(f, s, err)
	}
}

// call runs one pipe.
func (s *server) call(f *flight) (err error) {
	p, pipe := f.p, &f.pipes[f.at]
	f.attempts++
	if s.lane.blocks {
		begin := p.sys.Now()
		defer func() { s.lane.took(p.sys.Now().Sub(begin)) }()
	}
	ctx := s.context(f)
	if p.o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.o.Timeout)
		defer cancel()
	}
	if observe := p.o.Observe; observe != nil {
		begin := p.sys.Now()
		step := Step{ID: f.it.ID, Type: f.it.Info.Type, Pipe: pipe.Name, Lane: pipe.Lane,
			Attempt: f.attempts, Waited: begin.Sub(f.since), Bytes: f.has}
		if step.Lane == "" {
			step.Lane = CPU
		}
		defer func() {
			step.Ran, step.Err = p.sys.Now().Sub(begin), err
			observe(step)
		}()
	}
	defer func() {
		if v := recover(); v != nil {
			err = &graphevent.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return pipe.Run(ctx, f.it)
}

// after decides how a flight goes on after a pipe: as advance.
func (p *Pipeline) after(f *flight, here *server, err error) bool {
	if err == nil {
		f.at++
		f.attempts = 0
		return p.advance(f, here)
	}
	if errors.Is(err, ErrBudget) && f.want > 0 {
		if f.has == 0 { // nothing was asked for before
			f.begin = f.at
		}
		f.rewind()
		return p.ask(f, here)
	}
	least, again := retryable(err)
	if !again || p.o.Retries < 0 || f.attempts > p.o.Retries || !f.it.Wanted() {
		p.fail(f, err)
		return false
	}
	wait := p.o.MaxBackoff
	if n := f.attempts - 1; n < 30 && p.o.Backoff<<n < wait && p.o.Backoff<<n > 0 {
		wait = p.o.Backoff << n
	}
	if f.at == f.begin {
		p.budget.give(f) // nobody waits because this one does
	}
	p.sys.Task(taskgraph.Do(func() { p.advance(f, nil) })).Always().
		After(p.sys.Any(p.sys.AfterDelay(max(wait, least)), f.it.life.m.stop)).Launch()
	return false
}

// fail ends a flight with the Error of its pipe.
func (p *Pipeline) fail(f *flight, err error) {
	p.finish(f, &Error{ID: f.it.ID, Stage: f.pipes[f.at].Name, Attempts: f.attempts, Err: err})
}

// finish ends a flight.
func (p *Pipeline) finish(f *flight, err error) {
	f.it.settleSize()
	p.budget.give(f) // what it was for is gone, or belongs to the resource
	f.it.Done(err)
}
