package mix

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
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

// A Run runs a program once. What is not atomic is ordered by the tasks, or the race detector says so.
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

// Ops returns, after Do, how many tasks and events have completed or were refused, which Do has checked, and how
// many waits, loops and forks the bodies have made.
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
	o := taskgraph.Options{Workers: p.workers, MaxTasks: p.maxTasks, WhenFull: p.full, StuckAfter: time.Hour, MaxBlocking: p.blocking,
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
	x.roots = []error{graphevent.ErrGoexit, graphevent.ErrCanceled, graphevent.ErrFull, graphevent.ErrClosed, taskgraph.ErrNotChosen}
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
		if x.nodes[i].backup.Err() != nil { // refused: do it by hand, when the body has had its turn
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

func (x *Run) event(r mixRef) taskgraph.Event {
	if r.which == 0 {
		return x.nodes[r.node].ev
	}
	return x.nodes[r.node].cases[r.which-1]
}

func (x *Run) events(refs []mixRef) []taskgraph.Event {
	var events []taskgraph.Event
	for _, r := range refs {
		events = append(events, x.event(r))
	}
	return events
}

// accepted counts a task launched from outside, unless it was refused.
func (x *Run) accepted(i int, e taskgraph.Event, refused bool) {
	st := &x.nodes[i]
	st.refused = refused
	if !refused {
		x.launched++
		for j := range i {
			if x.nodes[j].refused && x.p.maxTasks == 0 {
				x.fail("node %d is refused and the later %d is not", j, i)
			}
		}
		return
	}
	switch err := e.Err(); {
	case errors.Is(err, graphevent.ErrClosed) && x.p.shutdown >= 0:
	case errors.Is(err, graphevent.ErrFull) && x.p.maxTasks > 0 && x.p.full == taskgraph.FullError:
	default:
		x.fail("node %d is refused: %v", i, err)
	}
}

func (x *Run) build(i int) {
	s, n, st := x.s, &x.p.nodes[i], &x.nodes[i]
	pre := x.events(n.pre)
	switch n.kind {
	case "manual":
		t := s.Task(taskgraph.Do(func() { x.trigger(i, 2) })).Always().After(pre...)
		if !t.Event().IsComplete() {
			x.launched++
		}
		st.backup = t.Event()
		st.launch = t.Launch
	case "delay":
		st.ev = s.AfterDelay(time.Duration(n.micro) * time.Microsecond)
	case "every":
		st.ev = s.Every(context.Background(), time.Duration(n.micro)*time.Microsecond, taskgraph.Try(func() error {
			if st.runs++; st.runs < n.rounds {
				return nil
			}
			return st.sentry
		}))
		err := st.ev.Err()
		x.accepted(i, st.ev, err != nil && !errors.Is(err, st.sentry))
	case "all":
		st.ev = s.All(pre...)
	case "any":
		st.ev = s.Any(pre...)
	case "when":
		st.ev = s.NewEvent()
		s.TriggerEventWhenTasksComplete(st.ev, pre...)
	case "graph":
		st.graphRuns = make([]int, len(n.graph))
		st.ev = s.LaunchGraph(x.graph(n.graph, n.bad, st.graphRuns, st.sentry), pre...)
		err := st.ev.Err()
		x.accepted(i, st.ev, err != nil && !errors.Is(err, graphevent.ErrSkipped) && !errors.Is(err, st.sentry))
	default:
		x.buildTask(i, pre)
	}
}

func (x *Run) buildTask(i int, pre []taskgraph.Event) {
	n, st := &x.p.nodes[i], &x.nodes[i]
	var t taskgraph.Task
	switch n.call {
	case "do":
		t = x.s.Task(taskgraph.Do(func() { _ = x.body(nil, i) }))
	case "try":
		t = x.s.Task(taskgraph.Try(func() error { return x.body(nil, i) }))
	case "run":
		t = x.s.Task(taskgraph.Run(func(c *taskgraph.Context) error { return x.body(c, i) }))
	case "job":
		t = x.s.Task(taskgraph.RunJob(&mixJob{x, i}))
	case "async":
		t, _ = taskgraph.AsyncTask(x.s, func(c *taskgraph.Context) (int, error) { return i, x.body(c, i) })
	}
	x.accepted(i, t.Event(), t.Event().IsComplete())
	if n.prio != 0 {
		t = t.Priority(n.prio)
	}
	if n.name {
		t = t.Name(fmt.Sprint("node ", i))
	}
	if n.always {
		t = t.Always()
	}
	if n.near > 0 {
		t = t.Near(n.near - 1)
	}
	if n.inline {
		t = t.Inline()
	}
	switch {
	case n.where < 0:
		t = t.OnOwnThread()
	case n.where > 0 && len(x.threads) >= n.where:
		t = t.On(x.threads[n.where-1])
	}
	if n.ctx > 0 {
		t = t.Context(x.ctxs[n.ctx-1])
	}
	for _, g := range n.gates {
		switch x.p.gates[g].kind {
		case "pipe":
			t = t.In(x.pipes[g])
		case "limiter":
			t = t.Limit(x.limits[g])
		case "semaphore":
			t = t.Acquire(x.sems[g])
		}
	}
	if n.cases > 0 {
		st.cases = t.Cases(n.cases)
	}
	st.ev = t.Event()
	st.launch = t.After(pre...).Launch
}

type mixJob struct {
	x *Run
	i int
}

func (j *mixJob) Run(c *taskgraph.Context) error { return j.x.body(c, j.i) }

// trigger completes the manual event of node m: the first who comes says how.
func (x *Run) trigger(m int, by int64) {
	st := &x.nodes[m]
	if !st.by.CompareAndSwap(0, by) {
		return
	}
	st.val = 1
	if by == 1 && x.p.nodes[m].fail != "" {
		st.ev.Fail(st.sentry)
		return
	}
	st.ev.Trigger()
}

// graph makes a graph that counts its runs, each task after its predecessors.
func (x *Run) graph(tasks [][]int, bad int, runs []int, err error) *taskgraph.Graph {
	var b taskgraph.GraphBuilder
	made := make([]taskgraph.GraphTask, len(tasks))
	for k, preds := range tasks {
		made[k] = b.Task(taskgraph.Try(func() error {
			for _, j := range preds {
				if runs[j] != 1 {
					x.fail("a task of a graph before its predecessor")
				}
			}
			runs[k]++
			if k == bad {
				return err
			}
			return nil
		}))
		for _, j := range preds {
			made[k].After(made[j])
		}
	}
	g, gerr := b.Build()
	if gerr != nil {
		x.fail("graph: %v", gerr)
	}
	return g
}

// look reads what a node that is complete has written.
func (x *Run) look(i int, j int) {
	n, st := &x.p.nodes[j], &x.nodes[j]
	switch n.kind {
	case "manual":
		if st.val != 1 {
			x.fail("node %d sees %d untriggered", i, j)
		}
	case "all", "when":
		for _, r := range n.pre {
			x.look(i, r.node)
		}
	case "graph":
		for k := range n.graph {
			if st.ev.Err() == nil && st.graphRuns[k] != 1 {
				x.fail("node %d after task %d of graph %d ran %d times", i, k, j, st.graphRuns[k])
			}
		}
	case "task":
		if st.val != n.rounds && st.ev.Err() == nil && !n.unseen {
			x.fail("node %d sees %d after %d rounds", i, j, st.val)
		}
		held := st.hold
		if !errors.Is(st.ev.Err(), graphevent.ErrGoexit) { // a round that is cut off has no next one
			held = slices.Concat(held, st.next)
		}
		for _, k := range held {
			if !k.IsComplete() {
				x.fail("node %d sees %d complete, but not what held it open", i, j)
			}
		}
	}
}

func (x *Run) body(c *taskgraph.Context, i int) error {
	n, st := &x.p.nodes[i], &x.nodes[i]
	st.runs++
	for _, r := range n.pre {
		if !x.event(r).IsComplete() {
			x.fail("node %d runs before %v is complete", i, r)
		}
		x.look(i, r.node)
	}
	if c != nil {
		if (c.Thread() != nil) != (n.where > 0 && len(x.threads) >= n.where) && !(x.p.maxTasks > 0) {
			x.fail("node %d runs on thread %v", i, c.Thread())
		}
		if c.Event() != st.ev {
			x.fail("node %d has another event", i)
		}
	}
	for _, g := range n.gates {
		switch x.p.gates[g].kind {
		case "pipe":
			x.inGate[g][0]++ // the race detector says whether it is alone
		case "limiter":
			if c != nil {
				x.inGate[g][c.Place(x.limits[g])]++
			}
		case "semaphore":
			defer x.sems[g].Release()
		}
	}
	st.hold, st.next = st.hold[:0], st.next[:0]
	last := st.runs == n.rounds
	for j := range x.nodes {
		if m := &x.p.nodes[j]; m.kind == "manual" && m.by == i && j%2 == 0 {
			x.trigger(j, 1)
		}
	}
	if c != nil {
		for k := range n.acts {
			x.act(c, i, &n.acts[k])
		}
	}
	for j := range x.nodes {
		if m := &x.p.nodes[j]; m.kind == "manual" && m.by == i {
			x.trigger(j, 1)
		}
	}
	st.val = st.runs
	if !last {
		c.Again()
		return nil
	}
	if n.cases > 0 {
		c.Choose(n.choose...)
	}
	st.body = true
	return mixEnd(c, n.fail, st.sentry)
}

// mixEnd ends a body: with err, if it is to fail.
func mixEnd(c *taskgraph.Context, fail string, err error) error {
	switch fail {
	case "error":
		return err
	case "panic":
		panic(err)
	case "goexit":
		runtime.Goexit()
	case "fork", "forkLeft", "forkExit": // in a forked call, of which another one is left over
		c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) { c.Go(func() {}) }, taskgraph.Args{})
		j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) {
			if fail == "forkExit" {
				runtime.Goexit()
			}
			panic(err)
		}, taskgraph.Args{})
		if fail != "forkLeft" {
			j.Wait()
		}
	}
	return nil
}

// kid returns a child with its body, which has children of its own and may run for a second time;
// not so in a single call.
func (x *Run) kid(i int, fails string, kids int, call bool, after []taskgraph.Event) (*mixKid, func(c *taskgraph.Context) error) {
	k := &mixKid{sentry: &mixError{fmt.Sprint("child of ", i)}, fails: fails, after: after, ctx: x.p.nodes[i].ctx}
	x.nodes[i].kids = append(x.nodes[i].kids, k)
	again := call
	return k, func(c *taskgraph.Context) error {
		k.runs++
		for _, e := range after {
			if !e.IsComplete() {
				x.fail("child of %d before its prerequisite", i)
			}
		}
		for range kids {
			sub := &mixKid{sentry: k.sentry, ctx: k.ctx}
			k.kids = append(k.kids, sub)
			sub.ev = c.Spawn(taskgraph.Do(func() { sub.runs++ }))
			if len(k.kids)%3 == 2 {
				_ = c.WaitUntilTasksComplete(c, sub.ev, k.kids[0].ev)
			}
			if len(k.kids)%3 == 1 {
				c.Blocking(func() { _ = c.WaitUntilTasksComplete(context.Background(), sub.ev) })
			}
		}
		if kids > 3 && !again {
			again = true
			k.runs--
			kids = 0
			c.Again(k.kids[1].ev)
			return nil
		}
		return mixEnd(c, fails, k.sentry)
	}
}

// act does one thing of those that the body of node i does.
func (x *Run) act(c *taskgraph.Context, i int, a *mixAct) {
	s, st := x.s, &x.nodes[i]
	refs := x.events(a.refs)
	x.acts.Add(1)
	switch a.kind {
	case "spawn":
		k, f := x.kid(i, a.fail, a.n, false, nil)
		k.ev = c.Spawn(taskgraph.Run(f))
		if a.flags&1 != 0 {
			x.waitKid(c, i, k)
		}
	case "nest":
		k, f := x.kid(i, a.fail, a.n, false, nil)
		k.ev = c.Nest(taskgraph.Run(f))
		st.hold = append(st.hold, k.ev)
		if a.flags&1 != 0 {
			x.waitKid(c, i, k)
		}
	case "task":
		if a.flags&1 != 0 && len(st.kids) > 0 {
			refs = append(refs, st.kids[len(st.kids)-1].ev)
		}
		k, f := x.kid(i, a.fail, a.n/2, false, refs)
		t := c.Task(taskgraph.Run(f)).After(refs...).Priority(a.prio)
		if a.flags&2 != 0 {
			t = t.Inline()
		}
		if a.flags&4 != 0 {
			t = t.Near(a.n % x.p.workers)
		}
		k.ev = t.Launch()
		if a.flags&8 != 0 {
			x.waitKid(c, i, k)
		}
	case "hold":
		if len(st.kids) > 0 {
			refs = append(refs, st.kids[0].ev)
		}
		c.DontCompleteUntil(refs...)
		st.hold = append(st.hold, refs...)
	case "again":
		if st.runs < x.p.nodes[i].rounds {
			c.Again(refs...)
			st.next = append(st.next, refs...)
		}
	case "wait":
		x.wait(c, i, a, refs)
	case "fork":
		if got := x.tree(c, a.n, a.flags); got != 1<<a.n {
			x.fail("a tree of forks yields %d, not %d", got, 1<<a.n)
		}
	case "for":
		f, loop := c.ParallelFor, c.RunLoop
		if a.flags&1 != 0 {
			x.uncount.Store(true)
			f, loop = s.ParallelFor, s.RunLoop
		}
		if a.flags&4 != 0 { // with helpers, however little there is to do
			f = func(n, grain int, body func(lo, hi int)) error {
				return loop(taskgraph.Loop{N: n, Grain: grain, Unbalanced: true, Body: func(_ *taskgraph.Participant, lo, hi int) error {
					body(lo, hi)
					return nil
				}})
			}
		}
		n := a.n * 30
		seen := make([]int8, n)
		err := f(n, a.flags>>3, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				seen[k]++
			}
			if a.flags&2 != 0 && lo <= n/2 && n/2 < hi {
				panic(st.sentry)
			}
		})
		if a.flags&1 == 0 && c.Err() != nil && (errors.Is(err, graphevent.ErrCanceled) || errors.Is(err, graphevent.ErrClosed)) {
			return // it was left
		}
		if a.flags&2 != 0 && n > 0 {
			if !errors.Is(err, st.sentry) {
				x.fail("a loop that fails in %d: %v", i, err)
			}
		} else if err != nil || slices.Contains(seen, 0) || slices.Contains(seen, 2) {
			x.fail("a loop in %d: %v", i, err)
		}
	case "unit":
		if a.flags&2 != 0 {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			x.aside(func() { cancel(errMixCancel) })
			if err := c.Acquire(ctx, x.units); err != nil {
				if !errors.Is(err, errMixCancel) {
					x.fail("unit: %v", err)
				}
				return
			}
		} else if err := c.Acquire(context.Background(), x.units); err != nil {
			x.fail("unit: %v", err)
			return
		}
		if n := x.inUnit.Add(1); n > 2 {
			x.fail("%d have one of two units", n)
		}
		if a.flags&1 != 0 {
			runtime.Gosched()
		}
		x.inUnit.Add(-1)
		x.units.Release()
	case "cancel":
		if len(x.ctxs) > 0 {
			k := a.n % len(x.ctxs)
			x.canceled[k].Store(true)
			x.cancels[k](errMixCancel)
		}
	case "graph":
		runs := make([]int, a.n+1)
		tasks := make([][]int, a.n+1)
		for k := range a.n {
			tasks[k+1] = []int{k * (a.flags & 1)}
		}
		k := &mixKid{sentry: st.sentry, ctx: x.p.nodes[i].ctx, runs: -1}
		st.kids = append(st.kids, k)
		k.ev = c.LaunchGraph(x.graph(tasks, -1, runs, nil))
		if a.flags&2 != 0 {
			x.waitKid(c, i, k)
			for _, n := range runs {
				if k.ev.Err() == nil && n != 1 {
					x.fail("a task of a graph in %d ran %d times", i, n)
				}
			}
		}
	case "promote":
		for _, e := range refs {
			s.Promote(e, a.prio)
		}
	case "delay":
		after := []taskgraph.Event{s.AfterDelay(time.Duration(a.n) * time.Microsecond)}
		k, f := x.kid(i, "", 0, false, after)
		k.ev = c.Task(taskgraph.Run(f)).After(after...).Launch()
		if a.flags&1 != 0 && x.p.nodes[i].where <= 0 {
			x.waitKid(c, i, k)
		}
	case "async":
		k, f := x.kid(i, a.fail, a.n/2, true, nil)
		fut := taskgraph.Async(c, func(c *taskgraph.Context) (int, error) { return i, f(c) })
		k.ev = fut.Event()
		if a.flags&1 != 0 {
			v, err := fut.Get(c)
			if err == nil && v != i {
				x.fail("a future in %d has the value %d", i, v)
			}
		}
	case "retained":
		var r *taskgraph.Retained
		var k *mixKid
		body := taskgraph.Run(func(*taskgraph.Context) error { k.runs++; return nil })
		r = taskgraph.Retain(body).Priority(taskgraph.Priority(a.n % 5))
		for range 1 + a.n/2 {
			k = &mixKid{sentry: st.sentry, ctx: x.p.nodes[i].ctx}
			st.kids = append(st.kids, k)
			k.ev = r.Launch(c)
			x.waitKid(c, i, k)
		}
	}
}

var errMixCancel = errors.New("cancelled by the program")

func (x *Run) waitKid(c *taskgraph.Context, i int, k *mixKid) {
	err := c.WaitUntilTasksComplete(context.Background(), k.ev)
	if !k.ev.IsComplete() {
		x.fail("a wait in %d is over too early: %v", i, err)
	}
	if err == nil && k.runs != 1 && k.runs != -1 {
		x.fail("a child of %d that was waited for ran %d times", i, k.runs)
	}
}

// wait is one of the waits.
func (x *Run) wait(c *taskgraph.Context, i int, a *mixAct, refs []taskgraph.Event) {
	s, bg := x.s, context.Background()
	if len(refs) == 0 {
		return
	}
	var err error
	any := -1
	early := false // it may end before
	switch a.mode {
	case "ctx":
		err = c.WaitUntilTasksComplete(bg, refs...)
	case "own":
		err = c.WaitUntilTasksComplete(c, refs...)
		early = x.p.nodes[i].ctx > 0
	case "canEnd", "cut":
		ctx, cancel := context.WithCancelCause(bg)
		defer cancel(nil)
		if a.mode == "cut" {
			early = true
			x.aside(func() { cancel(errMixCancel) })
		}
		err = c.WaitUntilTasksComplete(ctx, refs...)
	case "any":
		any, err = c.WaitAny(bg, refs...)
	case "plainAny":
		any, err = s.WaitAny(bg, refs...)
	case "plain":
		err = s.WaitUntilTasksComplete(bg, refs...)
	case "blockPlain":
		c.Blocking(func() { err = s.WaitUntilTasksComplete(bg, refs...) })
	case "blockCtx":
		c.Blocking(func() { err = c.WaitUntilTasksComplete(bg, refs...) })
	case "blockChan":
		if x.det != nil {
			c.Blocking(func() { err = s.WaitUntilTasksComplete(bg, refs...) })
			break
		}
		done := make(chan error)
		go func() { done <- s.WaitUntilTasksComplete(bg, refs...) }()
		c.Blocking(func() { err = <-done })
	}
	if errors.Is(err, errMixCancel) && early {
		return
	}
	if any >= 0 {
		if e := refs[any]; !e.IsComplete() || (e.Err() != nil) != (err != nil) {
			x.fail("WaitAny in %d: %d, %v", i, any, err)
		}
		x.look(i, a.refs[any].node)
		return
	}
	failed := false
	for k, e := range refs {
		if !e.IsComplete() {
			x.fail("a wait in %d (%s) is over before %v: %v", i, a.mode, a.refs[k], err)
			return
		}
		failed = failed || e.Err() != nil
		x.look(i, a.refs[k].node)
	}
	if failed != (err != nil) {
		x.fail("a wait in %d (%s) returns %v", i, a.mode, err)
	}
}

// tree is the number of leaves of a tree of forks.
func (x *Run) tree(c *taskgraph.Context, depth, flags int) int64 {
	return mixTree(c, &taskgraph.Args{A: int64(depth), B: int64(flags)})
}

func mixTree(c *taskgraph.Context, a *taskgraph.Args) int64 {
	depth, flags := a.A, a.B
	if depth == 0 {
		if flags&1 != 0 {
			_ = c.WaitUntilTasksComplete(c, c.Go(func() {}))
		}
		return 1
	}
	f := func(c *taskgraph.Context, a *taskgraph.Args) { a.C = mixTree(c, a) }
	one := c.Fork(f, taskgraph.Args{A: depth - 1, B: flags >> 1})
	if flags&2 != 0 { // nobody waits for it
		c.Fork(f, taskgraph.Args{A: depth - 1})
	}
	two := c.Fork(f, taskgraph.Args{A: depth - 1, B: flags >> 1})
	if flags&4 != 0 {
		one, two = two, one
	}
	return two.Wait().C + one.Wait().C
}

// from reports whether err says the same as the failure of one of events.
func (x *Run) from(err error, events []taskgraph.Event) bool {
	for _, e := range events {
		for _, r := range x.roots {
			if errors.Is(e.Err(), r) && errors.Is(err, r) {
				return true
			}
		}
		// The failure of a child.
		var k, of *mixError
		if errors.As(e.Err(), &k) && errors.As(err, &of) && k == of {
			return true
		}
	}
	return false
}

func anyFailed(events []taskgraph.Event) bool {
	return slices.ContainsFunc(events, func(e taskgraph.Event) bool { return e.Err() != nil })
}

// mayCancel reports whether err is that of a cancellation by the context of that number.
func (x *Run) mayCancel(err error, ctx int) bool {
	return ctx > 0 && x.canceled[ctx-1].Load() && errors.Is(err, graphevent.ErrCanceled) && errors.Is(err, errMixCancel)
}

func (x *Run) check(i int) {
	n, st := &x.p.nodes[i], &x.nodes[i]
	if !st.ev.IsComplete() {
		x.fail("node %d is incomplete", i)
		return
	}
	if n.unseen {
		if !st.refused && st.runs != 1 {
			x.fail("node %d ran %d times", i, st.runs)
		}
		return
	}
	err := st.ev.Err()
	pre := x.events(n.pre)
	bad := func(why string) {
		x.fail("node %d (%s): ran %d times, failed with %v, its prerequisites %v", i, why, st.runs, err, x.errsOf(pre))
	}
	switch n.kind {
	case "manual":
		if (err != nil) != (st.by.Load() == 1 && n.fail != "") || err != nil && !errors.Is(err, st.sentry) {
			bad("manual")
		}
		return
	case "delay":
		if err != nil && !(x.p.shutdown >= 0 && errors.Is(err, graphevent.ErrClosed)) {
			bad("delay")
		}
		return
	case "every":
		if !(st.refused && st.runs == 0) && !(errors.Is(err, st.sentry) && st.runs == n.rounds) &&
			!(x.p.shutdown >= 0 && err == nil && st.runs < n.rounds) {
			bad("every")
		}
		return
	case "all", "when":
		if (err != nil) != anyFailed(pre) || err != nil && !x.from(err, pre) {
			bad(n.kind)
		}
		return
	case "any":
		ok := err != nil && x.from(err, pre)
		for _, e := range pre {
			ok = ok || err == nil && e.Err() == nil
		}
		if !ok {
			bad("any")
		}
		return
	}
	for k, e := range st.cases {
		if !e.IsComplete() || (e.Err() == nil) != (err == nil && slices.Contains(n.choose, k)) {
			x.fail("case %d of node %d: %v, the node: %v", k, i, e.Err(), err)
		}
		if err == nil && e.Err() != nil && !errors.Is(e.Err(), taskgraph.ErrNotChosen) {
			x.fail("case %d of node %d that is not chosen: %v", k, i, e.Err())
		}
	}
	ran := st.runs
	if n.kind == "graph" {
		ran = slices.Max(st.graphRuns)
	}
	switch {
	case st.refused:
		if ran != 0 {
			bad("refused")
		}
		return
	case anyFailed(pre) && !n.always:
		if ran != 0 || !errors.Is(err, graphevent.ErrSkipped) || !x.from(err, pre) {
			bad("to be skipped")
		}
		return
	case n.kind == "graph":
		x.checkGraph(i)
		return
	case ran == 0:
		if !x.mayCancel(err, n.ctx) {
			bad("did not run")
		}
		return
	}
	if n.ctx > 0 {
		for _, r := range n.pre {
			for _, a := range x.p.nodes[r.node].acts {
				if a.kind == "cancel" && a.n%len(x.ctxs) == n.ctx-1 && x.nodes[r.node].body {
					bad("ran although it was cancelled")
				}
			}
		}
	}
	switch {
	case st.runs > n.rounds:
		bad("ran too often")
	case !st.body && x.p.goexit && errors.Is(err, graphevent.ErrGoexit):
		// Cut off by what it ran in a wait, or it waits for more rounds and what it waits for was.
	case st.runs < n.rounds:
		held := slices.Concat(st.hold, st.next)
		if !(anyFailed(held) && x.from(err, held)) && !x.mayCancel(err, n.ctx) {
			bad("stopped between two rounds")
		}
	case !st.body:
		bad("did not come to its end")
	case n.fail == "goexit" || n.fail == "forkExit":
		if !errors.Is(err, graphevent.ErrGoexit) {
			bad("exited")
		}
	case n.fail != "":
		if !errors.Is(err, st.sentry) {
			bad("failed")
		}
	case (err != nil) != anyFailed(st.hold) || err != nil && !x.from(err, st.hold):
		bad(fmt.Sprint("held by ", x.errsOf(st.hold)))
	}
}

func (x *Run) errsOf(events []taskgraph.Event) (errs []error) {
	for _, e := range events {
		errs = append(errs, e.Err())
	}
	return errs
}

func (x *Run) checkGraph(i int) {
	n, st := &x.p.nodes[i], &x.nodes[i]
	fails := make([]bool, len(n.graph))
	for k, preds := range n.graph {
		skip := slices.ContainsFunc(preds, func(j int) bool { return fails[j] })
		fails[k] = skip || k == n.bad
		if want := map[bool]int{true: 0, false: 1}[skip]; st.graphRuns[k] != want {
			x.fail("task %d of graph %d ran %d times", k, i, st.graphRuns[k])
		}
	}
	if err := st.ev.Err(); (err != nil) != (n.bad >= 0) || err != nil && !errors.Is(err, st.sentry) {
		x.fail("graph %d: %v", i, err)
	}
}

func (x *Run) checkKid(i int, k *mixKid) {
	err := k.ev.Err()
	for _, sub := range k.kids {
		x.checkKid(i, sub)
	}
	full := errors.Is(err, graphevent.ErrFull) && x.p.maxTasks > 0 && x.p.full == taskgraph.FullError
	switch {
	case !k.ev.IsComplete():
		x.fail("a child of %d is incomplete", i)
	case anyFailed(k.after) && !full:
		if k.runs != 0 || !errors.Is(err, graphevent.ErrSkipped) || !x.from(err, k.after) {
			x.fail("a child of %d to be skipped ran %d times: %v", i, k.runs, err)
		}
	case full && k.runs <= 0, x.mayCancel(err, k.ctx) && k.runs <= 0:
	case (k.fails == "goexit" || k.fails == "forkExit") && errors.Is(err, graphevent.ErrGoexit) && k.runs == 1:
	case k.fails != "" && errors.Is(err, k.sentry) && k.runs == 1:
	case k.fails != "" || err != nil || k.runs != 1 && k.runs != -1:
		x.fail("a child of %d (%q) ran %d times: %v", i, k.fails, k.runs, err)
	}
}

// checkGate waits until every place has come back. Whoever completes a task gives them back
// after that, so this can take a moment longer.
func (x *Run) checkGate(g int) {
	bg := context.Background()
	switch places := x.p.gates[g].places; x.p.gates[g].kind {
	case "pipe":
		_ = x.pipes[g].Wait(bg)
	case "limiter":
		_ = x.limits[g].Wait(bg)
	case "semaphore":
		for range places {
			_ = x.sems[g].Acquire(bg)
		}
		if x.sems[g].TryAcquire() {
			x.fail("semaphore %d has a unit too many", g)
		}
	}
}

func (x *Run) checkShutdown(err error) {
	var want []error
	for i := range x.nodes {
		if x.p.nodes[i].unseen && !x.nodes[i].refused {
			want = append(want, x.nodes[i].sentry)
		}
	}
	var all []error
	if err != nil {
		all = err.(interface{ Unwrap() []error }).Unwrap()
	}
	if len(all) != len(want) && len(want) <= 16 && x.p.shutdown < 0 { // else not all have been looked at
		x.fail("Shutdown returns %v, not %v", err, want)
	}
	if len(all) <= 16 {
		for _, w := range want {
			if !errors.Is(err, w) {
				x.fail("Shutdown returns %v without %v", err, w)
			}
		}
	}
	st := x.s.Stats()
	if st.Live != 0 || st.Completed < uint64(x.launched)+st.Launched ||
		st.Completed != uint64(x.launched)+st.Launched && !x.uncount.Load() {
		x.fail("Stats: %d live, %d completed, %d launched from inside, %d from outside", st.Live, st.Completed, st.Launched, x.launched)
	}
	if e := x.s.Go(func() {}); !errors.Is(e.Err(), graphevent.ErrClosed) {
		x.fail("a launch after the end: %v", e.Err())
	}
}
