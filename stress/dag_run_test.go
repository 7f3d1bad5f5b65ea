package stress_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

// hangAfter is how long a case may take before it counts as a hang. It decides nothing as
// long as nothing hangs.
const hangAfter = 3 * time.Minute

// guard ends the process with all that is known if stop is not called in time: a hung graph
// cannot be unwound, and shrinking it would hang again.
func guard(sys *taskgraph.System, what fmt.Stringer) (stop func()) {
	return watch.Hangs(hangAfter, what, func() string {
		return fmt.Sprintf("%+v", sys.Stats())
	}, sys)
}

// A session is a system, its named threads, and the runs of a plan on it.
type session struct {
	sys      *taskgraph.System
	threads  [pins]*namedthread.Thread
	failures atomics.Int64 // calls of OnFailure

	mu     sync.Mutex
	faults []error
}

// fault notes something wrong that is not nil.
func (s *session) fault(err error, format string, args ...any) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) < 20 {
		s.faults = append(s.faults, fmt.Errorf(format+": %w", append(args, err)...))
	}
}

// do runs the plan as often as it says on one system, so that nodes are recycled, and returns
// what is wrong, and the statistics after the end.
func (p *plan) do() (taskgraph.Stats, error) {
	leaked := watch.Leaks()
	s := p.open()
	defer guard(s.sys, p)()
	var runs []*run
	for round := range p.rounds {
		var group []*run
		var all sync.WaitGroup
		for range p.copies {
			r := s.prepare(p)
			r.rng = rand.New(rand.NewPCG(p.seed[0], p.seed[1]+uint64(len(runs)+len(group)+1)))
			group = append(group, r)
		}
		runs = append(runs, group...)
		drain := p.drain && round == p.rounds-1
		for _, r := range group {
			all.Go(func() {
				r.begin()
				if !drain {
					r.wait()
					r.end()
				}
			})
		}
		all.Wait()
		if drain {
			err := s.sys.Shutdown(context.Background())
			for _, r := range group {
				r.shut = true
				r.end()
				r.drained(err)
			}
		}
	}
	if !p.drain {
		s.fault(s.sys.Shutdown(context.Background()), "Shutdown after all was looked at")
	}
	failures, closed := 0, false
	for _, r := range runs {
		f, c := r.outcomes()
		failures, closed = failures+f, closed || c
		s.fault(r.witness.Err(), "witness")
	}
	if got := s.failures.Load(); got != int64(failures) && !closed {
		s.fault(fmt.Errorf("%d, should have been %d", got, failures), "calls of OnFailure")
	}
	for _, th := range s.threads {
		if th != nil {
			th.Quit()
			<-th.Done()
		}
	}
	st := s.sys.Stats()
	if st.Live != 0 {
		s.fault(errors.New("tasks left"), "Stats %+v", st)
	}
	s.fault(leaked(), "after Shutdown")
	return st, errors.Join(s.faults...)
}

// open starts the system and the named threads.
func (p *plan) open() *session {
	s := &session{}
	o := taskgraph.Options{
		Workers: p.workers, Foreground: p.foreground,
		StuckAfter: 10 * hangAfter, // guard shows more
		OnFailure:  func(string, error) { s.failures.Add(1) },
	}
	if p.parkGo {
		o.Park = sleepevent.ParkGo
	}
	if p.threads {
		o.Threads = namedthread.NewRegistry()
		begin := func(pin int, name string) {
			th, err := o.Threads.Start(name, namedthread.Options{Park: o.Park})
			if err != nil {
				panic(err)
			}
			s.threads[pin] = th
		}
		begin(pinDead, "dead")
		s.threads[pinDead].Quit()
		<-s.threads[pinDead].Done()
		begin(pinFirst, "first") // with the index that the dead one had
		begin(pinSecond, "second")
	}
	s.sys = taskgraph.Start(o)
	return s
}

// A run is one run of a plan.
type run struct {
	*session
	*plan
	rng     *rand.Rand
	witness *stress.Witness
	shut    bool    // after Shutdown: nothing may be incomplete
	before  [][]int // gates that must be open before a node begins

	// Plain memory: a node's successors read what the node wrote.
	events []taskgraph.Event
	gates  []taskgraph.Event
	opened []bool           // gates that have one trigger only
	tasks  []taskgraph.Task // of late nodes

	openers, others sync.WaitGroup // goroutines that the run has started
}

func (s *session) prepare(p *plan) *run {
	r := &run{
		session: s, plan: p,
		before: make([][]int, len(p.nodes)),
		events: make([]taskgraph.Event, len(p.nodes)),
		tasks:  make([]taskgraph.Task, len(p.nodes)),
		opened: make([]bool, len(p.gates)),
	}
	// Everything is judged before anything runs: judge remembers, and is for one goroutine.
	after := make([][]int, len(p.nodes))
	for i := range p.nodes {
		p.judge(i)
		for _, q := range p.before(i) {
			if q < 0 {
				r.before[i] = append(r.before[i], gateKey(q))
			} else {
				after[i] = append(after[i], q)
			}
		}
	}
	r.witness = stress.NewWitness(after)
	for i, n := range p.nodes {
		switch {
		case !p.judge(i).ran:
			r.witness.Skip(i)
		case n.pin != pinNot:
			r.witness.Pin(i, s.threads[n.pin])
		}
	}
	for k := range p.gates {
		p.judge(gateKey(k))
		r.gates = append(r.gates, s.sys.NewEvent())
	}
	return r
}

// begin builds and launches what is launched from outside.
func (r *run) begin() {
	r.openGates(-1)
	for i, id := range r.top {
		r.build(r.nodes[id], nil)
		end := len(r.nodes)
		if i+1 < len(r.top) {
			end = r.top[i+1]
		}
		for after := id; after < end; after++ {
			r.openGates(after)
		}
	}
	r.launchLate(r.top, nil)
}

// wait waits for what was launched from outside, and so do others.
func (r *run) wait() {
	for _, targets := range r.outside {
		how := []how{waitSystem, waitEvent, waitCanceled}[r.rng.IntN(3)]
		r.others.Go(func() { _ = r.waitFor(wait{how: how, targets: targets}, nil) })
	}
	top := slices.Clone(r.top)
	r.rng.Shuffle(len(top), func(i, j int) { top[i], top[j] = top[j], top[i] })
	_ = r.waitFor(wait{how: waitSystem, targets: top}, nil)
}

// end waits for all that is left, and looks at how it ended.
func (r *run) end() {
	r.openers.Wait()
	r.outcomes()
	r.others.Wait()
}

// openGates triggers the gates that belong behind node after, each on goroutines of its own
// unless a node does it.
func (r *run) openGates(after int) {
	for k, e := range r.plan.gates {
		if e.after != after {
			continue
		}
		for _, q := range e.holds {
			if !r.gates[k].DontCompleteUntil(r.events[q]) {
				r.fault(errors.New("false before the trigger"), "DontCompleteUntil of gate %d",
					gateKey(k))
			}
		}
		if e.by >= 0 && r.judge(e.by).ran {
			continue
		}
		var won atomics.Int32
		var all sync.WaitGroup
		for range 1 + e.rivals {
			all.Add(1)
			r.openers.Go(func() {
				defer all.Done()
				if e.delayed {
					for range 20 {
						runtime.Gosched()
					}
				}
				if r.trigger(k) {
					won.Add(1)
				}
			})
		}
		r.openers.Go(func() {
			all.Wait()
			if won.Load() != 1 {
				r.fault(fmt.Errorf("%d triggers say that they were the one", won.Load()), "gate %d",
					gateKey(k))
			}
		})
	}
}

func (r *run) trigger(k int) bool {
	e := r.plan.gates[k]
	if e.rivals == 0 {
		r.opened[k] = true
	}
	if e.fail {
		return r.gates[k].Fail(ownError(gateKey(k)))
	}
	return r.gates[k].Trigger()
}

// build makes the task of n, from outside if c is nil, and launches it unless it is late.
func (r *run) build(n *node, c *taskgraph.Context) {
	b := r.body(n)
	if n.quick {
		r.witness.Launch(n.id)
		switch {
		case c != nil && n.body == bodyDo:
			r.events[n.id] = c.Go(func() { _ = r.work(n, nil) })
		case c != nil:
			r.events[n.id] = c.Spawn(b)
		case n.body == bodyDo:
			r.events[n.id] = r.sys.Go(func() { _ = r.work(n, nil) })
		default:
			r.events[n.id] = r.sys.Task(b).Launch()
		}
		return
	}
	var task taskgraph.Task
	if c != nil {
		task = c.Task(b)
	} else {
		task = r.sys.Task(b)
	}
	if n.always {
		task = task.Always()
	}
	if n.named {
		task = task.Name(fmt.Sprintf("n%d", n.id))
	}
	if n.priority != taskgraph.PriorityNormal {
		task = task.Priority(n.priority)
	}
	if n.pin != pinNot {
		task = task.On(r.session.threads[n.pin])
	}
	var events []taskgraph.Event
	for _, q := range slices.Concat(n.prerequisites, keys(n.gates)) {
		events = append(events, r.event(q))
		if n.twice {
			events = append(events, r.event(q))
		}
	}
	if len(events)%2 == 0 {
		task = task.After(events...)
	} else {
		for _, e := range events {
			task = task.After(e)
		}
	}
	r.events[n.id], r.tasks[n.id] = task.Event(), task
	if n.late == 0 {
		r.launch(n)
	}
}

func (r *run) launch(n *node) {
	r.witness.Launch(n.id)
	e := r.tasks[n.id].Event()
	if got := r.tasks[n.id].Launch(); got != e {
		r.fault(fmt.Errorf("%v, not %v", got, e), "Launch of node %d", n.id)
	}
}

// launchLate launches the late ones of the nodes ids: by the body that built them through its
// Context, the last first; or else by goroutines that have nothing to do with it, in any
// order.
func (r *run) launchLate(ids []int, c *taskgraph.Context) {
	var groups [4][]int
	for _, id := range slices.Backward(ids) {
		n := r.nodes[id]
		switch {
		case n.late == 0:
		case c != nil && !n.bySystem:
			r.launch(n)
		default:
			groups[n.late] = append(groups[n.late], id)
		}
	}
	for _, group := range groups {
		if len(group) == 0 {
			continue
		}
		r.others.Go(func() {
			rng := rand.New(rand.NewPCG(r.seed[0], r.seed[1]+uint64(group[0])))
			rng.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
			for _, id := range group {
				runtime.Gosched()
				r.launch(r.nodes[id])
			}
		})
	}
}

func (r *run) event(q int) taskgraph.Event {
	if q < 0 {
		return r.gates[gateKey(q)]
	}
	return r.events[q]
}

func (r *run) body(n *node) taskgraph.Body {
	switch n.body {
	case bodyDo:
		return taskgraph.Do(func() { _ = r.work(n, nil) })
	case bodyTry:
		return taskgraph.Try(func() error { return r.work(n, nil) })
	default:
		return taskgraph.Run(func(c *taskgraph.Context) error { return r.work(n, c) })
	}
}

// work is the body of n.
func (r *run) work(n *node, c *taskgraph.Context) error {
	r.witness.Begin(n.id, c)
	for _, k := range r.before[n.id] {
		if e := r.plan.gates[k]; e.rivals == 0 && !r.opened[k] {
			r.fault(errors.New("it was not"), "node %d began as if gate %d were open", n.id,
				gateKey(k))
		}
	}
	if c != nil && !n.quick && c.Event() != r.events[n.id] {
		r.fault(fmt.Errorf("%v, not %v", c.Event(), r.events[n.id]), "Context.Event of node %d",
			n.id)
	}
	for _, id := range n.children {
		if child := r.nodes[id]; child.bySystem {
			r.build(child, nil)
		} else {
			r.build(child, c)
		}
	}
	r.launchLate(n.children, c)
	for _, k := range n.triggers {
		if !r.trigger(k) {
			r.fault(errors.New("false"), "the only trigger of gate %d", gateKey(k))
		}
	}
	if n.holdsFirst {
		r.hold(n, c)
	}
	for _, w := range n.waits {
		err := r.waitFor(w, c)
		if w.pass && w.how != waitCanceled && err != nil {
			r.witness.End(n.id)
			return err
		}
	}
	r.loop(n, c)
	if !n.holdsFirst {
		r.hold(n, c)
	}
	r.witness.End(n.id)
	switch n.fail {
	case failError:
		return ownError(n.id)
	case failPanic:
		panic(panicked(n.id))
	case failPanicError:
		panic(ownError(n.id))
	case failGoexit:
		runtime.Goexit()
	case failNot:
	}
	return nil
}

func (r *run) hold(n *node, c *taskgraph.Context) {
	for _, q := range slices.Concat(n.holds, keys(n.holdGates)) {
		c.DontCompleteUntil(r.event(q))
	}
}

// waitFor waits and notes a wrong result. It returns the failure that it was told of, if
// that was as it should be.
func (r *run) waitFor(w wait, c *taskgraph.Context) error {
	var events []taskgraph.Event
	for _, q := range w.targets {
		events = append(events, r.event(q))
	}
	background := context.Background()
	canceled, cancel := context.WithCancel(background)
	defer cancel()
	var err error
	switch w.how {
	case waitContext:
		err = c.WaitUntilTasksComplete(background, events...)
	case waitOwn:
		err = c.Wait(events...)
	case waitNoHelp:
		err = c.WaitUntilTasksComplete(canceled, events...)
	case waitCanceled:
		cancel()
		if c != nil {
			err = c.WaitUntilTasksComplete(canceled, events...)
		} else {
			err = r.sys.WaitUntilTasksComplete(canceled, events...)
		}
		if errors.Is(err, context.Canceled) {
			return nil
		}
	case waitSystem:
		err = r.sys.WaitUntilTasksComplete(background, events...)
	case waitEvent:
		for _, e := range events {
			if one := e.Wait(background); err == nil {
				err = one
			}
		}
	}
	verdict := r.firstFailed(w.targets)
	if verdict == nil {
		verdict = &okay
	}
	if wrong := r.check(verdict, err); wrong != nil {
		r.fault(wrong, "the wait %+v", w)
	}
	for _, q := range w.targets {
		if !r.event(q).IsComplete() {
			r.fault(errors.New("incomplete"), "%d after the wait %+v", q, w)
		} else if q >= 0 {
			r.witness.Saw(q)
		}
	}
	if verdict == &okay {
		return nil
	}
	return err
}

var okay verdict

// loop runs a ParallelFor.
func (r *run) loop(n *node, c *taskgraph.Context) {
	if n.loop == 0 {
		return
	}
	hits := make([]int, n.loop)
	each := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if hits[i]++; n.loopFails && i == n.loop/2 {
				panic(ownError(n.id))
			}
		}
		if lo%3 == 0 {
			runtime.Gosched() // be late now and then
		}
		for i := lo; i < hi; i++ {
			hits[i]++
		}
	}
	// With helpers, however little there is to do, or as it comes.
	shared := taskgraph.Loop{N: n.loop, Grain: n.loopGrain, Unbalanced: true,
		Body: func(_ *taskgraph.Participant, lo, hi int) error {
			each(lo, hi)
			return nil
		}}
	var err error
	switch {
	case c != nil && n.id%4 != 0:
		err = c.RunLoop(shared)
	case c != nil:
		err = c.ParallelFor(n.loop, n.loopGrain, each)
	case n.id%4 != 0:
		err = r.sys.RunLoop(shared)
	default:
		err = r.sys.ParallelFor(n.loop, n.loopGrain, each)
	}
	if c != nil && c.Err() != nil &&
		(errors.Is(err, graphevent.ErrCanceled) || errors.Is(err, graphevent.ErrClosed)) {
		return // it was left
	}
	if n.loopFails {
		if !errors.Is(err, ownError(n.id)) {
			r.fault(fmt.Errorf("%v, not the panic", err), "the loop of node %d", n.id)
		}
		return
	}
	r.fault(err, "the loop of node %d", n.id)
	for i, h := range hits {
		if h != 2 {
			r.fault(fmt.Errorf("%d times, not twice", h), "the loop of node %d ran element %d",
				n.id, i)
		}
	}
}

// outcomes looks at how every node and gate has ended, and returns how many bodies failed and
// whether a task was for the dead thread. It may be called again later.
func (r *run) outcomes() (failures int, closed bool) {
	for i, n := range r.nodes {
		v := r.judge(i)
		if !v.built {
			continue
		}
		e := r.events[i] // written before the event of the parent completed
		if !r.shut {
			_ = r.sys.WaitUntilTasksComplete(context.Background(), e)
		}
		if !e.IsComplete() || e.State() != graphevent.StateCompleted {
			r.fault(errors.New("incomplete"), "node %d is %v", i, e.State())
			continue
		}
		if wrong := r.check(v, e.Err()); wrong != nil {
			r.fault(wrong, "node %d", i)
		}
		if v.ran && v.causes[onlyRoot(v, i)] {
			failures++
		}
		closed = closed || n.pin == pinDead
	}
	for k := range r.plan.gates {
		// What holds a gate open may be complete a moment earlier than the gate.
		if wrong := r.check(r.judge(gateKey(k)),
			r.gates[k].Wait(context.Background())); wrong != nil {
			r.fault(wrong, "gate %d", gateKey(k))
		}
	}
	return failures, closed
}

// onlyRoot returns a cause of v that began in i, or one that is none.
func onlyRoot(v *verdict, i int) cause {
	for c := range v.causes {
		if c.root == i {
			return c
		}
	}
	return cause{root: i, own: i}
}

// drained checks the result of a Shutdown before which nobody but bodies looked.
func (r *run) drained(err error) {
	// By root: whose error it has; whether a body may have looked at it, and surely has.
	roots := map[int]map[int]bool{}
	maybe, surely := map[int]bool{}, map[int]bool{}
	collect := func(q int) {
		for c := range r.judge(q).causes {
			if roots[c.root] == nil {
				roots[c.root] = map[int]bool{}
			}
			roots[c.root][c.own] = true
		}
	}
	for i := range r.nodes {
		v := r.judge(i)
		if !v.built {
			continue
		}
		collect(i)
		for _, w := range v.waits {
			for _, q := range w.targets {
				causes := r.judge(q).causes
				for c := range causes {
					maybe[c.root] = true
					surely[c.root] = surely[c.root] || len(causes) == 1 && w.how != waitCanceled
				}
			}
		}
	}
	tasks := len(roots)
	for k := range r.plan.gates { // Shutdown waits for a gate only if a task needs it
		collect(gateKey(k))
	}
	if len(roots) == 0 {
		r.fault(err, "Shutdown without a failure")
	}
	var stuck *taskgraph.StuckError
	if errors.As(err, &stuck) {
		r.fault(err, "Shutdown gave up")
	}
	if tasks == 0 || stuck != nil || len(roots)*r.copies > 16 {
		return // it does not name more
	}
	for i, owns := range roots {
		named := false
		for own := range owns {
			named = named || r.isOwn(err, own)
		}
		if !named && !maybe[i] && (i >= 0 || r.needed(i)) {
			r.fault(fmt.Errorf("returned %w", orNil(err)),
				"Shutdown does not name the failure of %d", i)
		}
		if named && surely[i] && r.distinct(i, roots) {
			r.fault(fmt.Errorf("returned %w", orNil(err)),
				"Shutdown names the failure of %d, at which a body looked", i)
		}
	}
}

// needed reports whether a task that was built waits for gate i to fail.
func (r *run) needed(i int) bool {
	for id := range r.nodes {
		if v := r.judge(id); v.built && v.causes[cause{root: i, own: i}] ||
			v.causes[cause{root: i, own: i, skipped: true}] {
			return true
		}
	}
	return false
}

// distinct reports whether the failure of root i can be told from those of all other roots.
func (r *run) distinct(i int, roots map[int]map[int]bool) bool {
	if i >= 0 && (r.nodes[i].fail == failGoexit || !r.judge(i).ran) || !roots[i][i] {
		return false
	}
	for j, owns := range roots {
		if j != i && owns[i] {
			return false
		}
	}
	return true
}

// orNil makes an error of nil, for reports.
func orNil(err error) error {
	if err == nil {
		return errors.New("nil")
	}
	return err
}

// isOwn reports whether err is or wraps the failure that node or gate i ends with.
func (p *plan) isOwn(err error, i int) bool {
	if i < 0 {
		return errors.Is(err, ownError(i))
	}
	n := p.nodes[i]
	var pe *graphevent.PanicError
	switch {
	case !p.judge(i).ran:
		return errors.Is(err, graphevent.ErrClosed)
	case n.fail == failPanic:
		for _, e := range flatten(err) {
			if errors.As(e, &pe) && pe.Value == panicked(i) {
				return true
			}
		}
		return false
	case n.fail == failPanicError:
		return errors.Is(err, ownError(i)) && errors.As(err, &pe)
	case n.fail == failGoexit:
		return errors.Is(err, graphevent.ErrGoexit)
	default:
		return errors.Is(err, ownError(i))
	}
}

// flatten returns the errors that err joins, or err alone.
func flatten(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}
