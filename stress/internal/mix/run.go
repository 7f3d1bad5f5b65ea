package mix

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// A mixError is the failure of a body, and knows which.
type mixError struct{ what string }

func (e *mixError) Error() string { return e.what }

// A Run runs a program once. What is not atomic is ordered by the tasks, or the race detector says
// so.
type Run struct {
	p       *Program
	det     *taskgraph.Deterministic // or nil
	s       *taskgraph.System
	threads []*namedthread.Thread
	nodes   []mixState
	ctxs    []context.Context
	cancels []context.CancelCauseFunc
	pipes   []*taskgraph.Pipe
	limits  []*taskgraph.Limiter
	sems    []*taskgraph.Semaphore
	inGate  [][]int // for each place how many tasks have been there
	units   *taskgraph.Semaphore
	inUnit  atomics.Int64 // how many have a unit
	roots   []error       // what everything fails with in the end

	acts     atomics.Int64 // what bodies have done
	launched int           // from outside and accepted
	uncount  atomics.Bool  // helpers of loops were launched from outside
	wrong    atomics.Pointer[error]
	canceled []atomics.Bool
}

type mixState struct {
	ev      taskgraph.Event
	cases   []taskgraph.Event
	sentry  *mixError
	refused bool
	backup  taskgraph.Event
	launch  func() taskgraph.Event

	by   atomics.Int64 // of a manual event: 1 the body, 2 somebody else
	val  int           // rounds that are over, or what the trigger wrote
	runs int
	body bool // the body came to its end, or to its failure
	hold []taskgraph.Event
	next []taskgraph.Event // what the next round waits for
	kids []*mixKid

	graphRuns []int
}

// A mixKid is what a body has launched.
type mixKid struct {
	ev     taskgraph.Event
	sentry *mixError
	fails  string
	runs   int
	after  []taskgraph.Event
	kids   []*mixKid
	ctx    int
}

func (x *Run) fail(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	x.wrong.CompareAndSwap(nil, &err)
}

// New makes a run of the program.
func New(p *Program) *Run {
	return &Run{p: p, nodes: make([]mixState, len(p.nodes))}
}

// InTurns makes the program run in deterministic mode.
func (x *Run) InTurns(d *taskgraph.Deterministic) *Run {
	x.det = d
	return x
}

// Do runs the program. The error is the first thing that was wrong.
func (x *Run) Do() error {
	x.run()
	if err := x.wrong.Load(); err != nil {
		return fmt.Errorf("%w\n%v", *err, x.p)
	}
	return nil
}

// Ops returns, after Do, how many tasks and events have completed or were refused, which Do has
// checked, and how many waits, loops and forks the bodies have made.
func (x *Run) Ops() int64 {
	n := int64(x.s.Stats().Completed) + x.acts.Load()
	for i := range x.nodes {
		if x.nodes[i].refused {
			n++
		}
	}
	return n
}

// String shows the program, and which nodes have completed. It is for a run that hangs.
func (x *Run) String() string {
	var done []bool
	for i := range x.nodes {
		done = append(done, x.nodes[i].ev.IsComplete())
	}
	return fmt.Sprintf("%v%v", x.p, done)
}

// Stuck ends the system of a run that hangs, and returns what it says is stuck.
func (x *Run) Stuck() string {
	if x.s == nil {
		return "no system yet"
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return fmt.Sprint("Shutdown: ", x.s.Shutdown(ctx))
}

func (x *Run) run() {
	p := x.p
	o := taskgraph.Options{Workers: p.workers, MaxTasks: p.maxTasks, WhenFull: p.full,
		StuckAfter: time.Hour, MaxBlocking: p.blocking,
		Deterministic: x.det}
	if p.parkGo {
		o.Park = sleepevent.ParkGo
	}
	if p.threads > 0 {
		o.Threads = namedthread.NewRegistry()
		for i := range p.threads {
			th, err := o.Threads.Start(fmt.Sprint("mix", i), namedthread.Options{})
			if errors.Is(err, errors.ErrUnsupported) {
				break
			}
			if err != nil {
				x.fail("thread: %v", err)
				return
			}
			x.threads = append(x.threads, th)
			defer func() { th.Quit(); <-th.Done() }()
		}
	}
	s := taskgraph.Start(o)
	x.s = s
	x.roots = []error{graphevent.ErrGoexit, graphevent.ErrCanceled, graphevent.ErrFull,
		graphevent.ErrClosed, taskgraph.ErrNotChosen}
	for range p.ctxs {
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		x.ctxs, x.cancels = append(x.ctxs, ctx), append(x.cancels, cancel)
	}
	x.canceled = make([]atomics.Bool, p.ctxs)
	x.pipes = make([]*taskgraph.Pipe, len(p.gates))
	x.limits = make([]*taskgraph.Limiter, len(p.gates))
	x.sems = make([]*taskgraph.Semaphore, len(p.gates))
	x.inGate = make([][]int, len(p.gates))
	x.units = s.NewSemaphore(2)
	for g, gate := range p.gates {
		x.inGate[g] = make([]int, gate.places)
		switch gate.kind {
		case "pipe":
			x.pipes[g] = s.NewPipe()
		case "limiter":
			x.limits[g] = s.NewLimiter(gate.places)
		case "semaphore":
			x.sems[g] = s.NewSemaphore(gate.places)
		}
	}
	for i := range x.nodes {
		x.nodes[i].sentry = &mixError{fmt.Sprint("node ", i)}
		x.roots = append(x.roots, x.nodes[i].sentry)
		if p.nodes[i].kind == "manual" {
			x.nodes[i].ev = s.NewEvent()
		}
	}

	ended := make(chan error, 1)
	end := func() { ended <- s.Shutdown(context.Background()) }
	for i := range p.nodes {
		if i == p.shutdown {
			x.aside(end)
		}
		x.build(i)
		if p.inOrder && x.nodes[i].launch != nil {
			x.nodes[i].launch()
		}
	}
	for _, i := range p.launches {
		if f := x.nodes[i].launch; f != nil {
			f()
		}
	}
	for i := range x.nodes {
		// refused: do it by hand, when the body has had its turn
		if x.nodes[i].backup.Err() != nil {
			_ = s.WaitUntilTasksComplete(context.Background(), x.nodes[p.nodes[i].by].ev)
			x.trigger(i, 2)
		}
	}
	var all []taskgraph.Event
	for i := range x.nodes {
		all = append(all, x.nodes[i].backup)
		if p.nodes[i].unseen {
			for !x.nodes[i].ev.IsComplete() {
				x.letPass()
			}
			continue
		}
		all = append(all, x.nodes[i].ev)
	}
	_ = s.WaitUntilTasksComplete(context.Background(), all...)
	// What bodies have launched can outlast them.
	for i := range x.nodes {
		_ = s.WaitUntilTasksComplete(context.Background(), x.nodes[i].cases...)
		x.await(x.nodes[i].kids)
	}
	for i := range x.nodes {
		x.check(i)
		for _, k := range x.nodes[i].kids {
			x.checkKid(i, k)
		}
	}
	for g := range p.gates {
		x.checkGate(g)
	}
	if x.det != nil {
		x.checkShutdown(s.Shutdown(context.Background()))
		return
	}
	if p.shutdown < 0 {
		go end()
	}
	x.checkShutdown(<-ended)
}

// aside calls f on a goroutine of its own.
func (x *Run) aside(f func()) {
	if x.det != nil {
		x.s.Outside(f)
		return
	}
	go f()
}

// letPass lets others run, without a wait for any of them.
func (x *Run) letPass() {
	if x.det != nil {
		_ = x.s.AfterDelay(time.Nanosecond).Wait(context.Background())
	}
	runtime.Gosched()
}

func (x *Run) await(kids []*mixKid) {
	for _, k := range kids {
		_ = x.s.WaitUntilTasksComplete(context.Background(), k.ev)
		x.await(k.kids)
	}
}
