package taskgraph

import (
	"context"
	"math"
	"runtime"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/spin"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph/internal/abandon"
	"github.com/heddle-go/heddle/taskgraph/internal/capacity"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/forks"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
	"github.com/heddle-go/heddle/taskgraph/internal/pending"
	"github.com/heddle-go/heddle/taskgraph/internal/promotion"
	"github.com/heddle-go/heddle/taskgraph/internal/records"
	"github.com/heddle-go/heddle/taskgraph/internal/watch"
)

// An Event completes when its task has: see package graphevent.
type Event = graphevent.Event

// A System is a set of workers and the tasks they run. Make one with [Start], and end it with
// [System.Shutdown]: a System that is dropped leaks its workers.
//
// # Concurrency
//
// All methods may be called by any goroutine; one with a method of the same name on [Context] is
// better called there in a body, since the system cannot see that a body without its Context waits.
// Where there is none, as for [System.Run], a body gives its Context as ctx.
//
// What a goroutine did before it launched a task synchronizes before the task's body; the end of a
// body synchronizes before the bodies of its dependents, and before the return of a wait for its
// event.
//
// # Progress
//
// Launching is lock-free. A task that is ready is taken by a worker unless all are busy; then a
// monitor sees to it that the work gets on although bodies block.
//
// # Cost
//
// Launching and running a task allocates nothing once the system has seen as many tasks at a time;
// a task that waits to run takes some 128 bytes. What does allocate says so.
type System struct {
	opts   Options
	bound  *bound      // nil: none
	log    *flight.Log // nil: nothing is recorded
	detour bool        // there is a bound, or sites are kept: tasks are made on the slow path
	store  *graphevent.Store
	kern   *kernel.Kernel
	turns  *turns.Scheduler // nil but in deterministic mode

	foreground int  // as asked for, see adjust
	follows    bool // GOMAXPROCS

	mode park.Mode
	spin bool // waits look a few times before they park
	pair bool // two workers can be at work at a time, so runs of graphs may go by rank

	outsiders outsiders // goroutines from outside that wait
	loopStay  spin.Budget
	missed    loopcost.Missed // for loops called from outside
	beat      beat

	// colds has the cold part of each node of the store, at the same index.
	colds paged.Table[cold]

	forks forks.Pool[Context, Args]
	cells forks.Types // see ForkOf

	calls groupCalls

	acquirers records.Pool[acquirer]
	gates     atomics.Uint64 // how many were made

	graphPages paged.Table[graphPageRef] // by entry number, for graphs that run
	freePages  [32]lockfree.Stack[uint32]
	freshPage  atomics.Uint32

	costs                 loopcost.Table
	credits               loopcost.Credits
	lone                  Participant             // an only participant, called from outside
	freeLoops, otherLoops lockfree.Stack[*loop]   // see takeLoop
	asides                lockfree.Stack[*aside]  // idle ones
	callers               lockfree.Stack[*runner] // idle ones

	door kernel.Door // counts incomplete launches; closed when Shutdown begins

	cast     atomics.Pointer[broadcast] // the one under way
	lastCast atomics.Pointer[Event]     // the end of the last one asked for

	promoted promotion.Seconds // tasks that have an entry of a lower priority besides

	delays pending.Set[delay]

	checks    atomics.Uint32 // reasons to check bodies before they begin
	abandoned abandon.Flag   // waits inside bodies end with ErrClosed
	closed    Event          // what a launch yields that came too late
	notChosen Event          // what a case waits for that was not chosen
	full      Event          // what a launch yields that there was no room for

	ctx    context.Context // of bodies: canceled when Shutdown gives up
	cancel context.CancelCauseFunc

	sites      paged.Table[site]
	lookouts   watch.List[Graph] // bodies, if they are watched
	inspecting atomics.Int32     // reports that are being made

	waiters  [2]lockfree.Stack[*waiter] // of goroutines from outside, by park mode
	waiting  atomics.Pointer[waiter]    // the last one made, for reports
	sleepers atomics.Int32              // of them, blocked in the operating system

	threads    [namedthread.MaxThreads]atomics.Pointer[threadRunner]
	guestWaits atomics.Int32 // waits of other systems for something here, see guest

	blocking    *capacity.Capacity // of bodies inside Blocking with somebody standing in
	blockedOver atomics.Uint64

	runners   atomics.Int64 // goroutines of the system, the monitor included
	ended     *park.Parker  // unparked when runners falls to 0
	quiet     *park.Parker  // unparked during Shutdown when something becomes idle
	monitor   *park.Parker
	dog       *park.Parker   // of the watchdog, or nil
	stopped   abandon.Flag   // the workers have ended, or are about to
	ending    abandon.Ending // of what is incomplete when the system gives up
	cutGraphs []*Graph       // see cutOff; of Shutdown
	dry       atomics.Bool   // nothing completes any more but tasks whose bodies have not returned
	over      chan struct{}  // closed when Shutdown has returned its result
	result    error
	outside   outside // the scheduler of goroutines that hold no slot
	launches  atomics.Uint64
	completed atomics.Uint64
}

// Start starts a system. It panics if an option is out of its range.
func Start(o Options) *System {
	follow, half := o.Workers == 0 && o.Deterministic == nil, o.Foreground == 0
	o.validate()
	s := &System{opts: o, mode: park.OS, foreground: o.Foreground}
	if o.Deterministic != nil {
		s.simulate(o.Deterministic)
		s.joinThreads()
	}
	if follow {
		s.follow(half)
	}
	if o.Park == sleepevent.ParkGo {
		s.mode = park.Go
	}
	s.spin = s.turns == nil && s.mode == park.OS && o.Workers > 1 && runtime.GOMAXPROCS(0) > 1 &&
		o.Idle != IdleSleep
	s.pair = s.spin
	s.outside.sys = s
	s.outsiders.budget.Init(fullPatience, fullPatience/16)
	s.loopStay.Init(stayCosts, stayCosts/16)
	s.blocking = capacity.New(o.MaxBlocking)
	s.lone.l = &loop{sys: s}
	s.ended, s.quiet, s.monitor = s.newParker(s.mode), s.newParker(s.mode), s.newParker(park.Go)
	s.door.Init(s.quiet)
	s.over = make(chan struct{})
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.store = graphevent.NewStore(graphevent.Options{
		Scheduler: &s.outside,
		Wait: func(ctx context.Context, e Event) error {
			return s.WaitUntilTasksComplete(ctx, e)
		},
		Grow:        func(limit graphevent.Node) { s.colds.Grow(uint32(limit) - 1) },
		OnEdge:      s.newEdge,
		MaxFailures: o.MaxFailures,
	})
	s.ending = s.newEnding()
	// In a store of its own, where no later failure makes it forgotten.
	apart := graphevent.NewStore(graphevent.Options{})
	failed := func(err error) Event {
		e := apart.NewEvent()
		e.Fail(err)
		_ = e.Err() // marks the failure as seen
		return e
	}
	s.closed, s.full = failed(graphevent.ErrClosed), failed(graphevent.ErrFull)
	s.notChosen = failed(ErrNotChosen)
	if o.MaxTasks > 0 {
		s.bound = s.newBound()
	}
	s.detour = s.bound != nil || o.Sites
	if o.Sites || o.SlowAfter > 0 {
		s.checks.Store(checkWatched)
	}
	if o.Labels {
		s.checks.Or(checkLabelled)
	}
	s.startTrace()
	s.kern = kernel.New(kernel.Config{
		Workers:    s.opts.Workers,
		Foreground: s.opts.Foreground,
		Sleep:      o.sleep(),
		Anywhere:   o.WakeAnywhere,
		OnIdle:     s.report,
		OnQuiet:    s.door.Tell,
		Watch:      func() { s.monitor.Unpark() },
		Spawn:      s.spawn,
		Own:        func(slot *kernel.Slot) any { return s.newOwner(slot, o.Workers) },
		Turns:      s.turns,
		Describe:   s.describeEntry,
		OnPark:     s.onPark(),
	})
	s.adjust()
	if s.spin && o.Idle == IdleAwake {
		s.kern.KeepAwake(0, math.MaxInt64, 0)
	}
	if s.turns == nil { // the deterministic mode sees blocked and stuck bodies itself
		s.runners.Store(1)
		atomics.Go(s.watch)
	}
	if s.turns == nil && s.opts.hasWatchdog() {
		s.dog = park.New(s.mode)
		s.runners.Add(1)
		atomics.Go(s.keepWatch)
	}
	for _, slot := range s.kern.Slots() {
		s.spawn(slot)
	}
	return s
}

func (s *System) spawn(slot *kernel.Slot) {
	s.runners.Add(1)
	s.startGoroutine(true, slot.String, func() { s.newRunner(slot).main() })
}

// leave is the last call of each goroutine of the system.
func (s *System) leave() {
	if s.runners.Add(-1) == 0 {
		s.ended.Unpark()
	}
}

// enter admits a launch from outside, which is counted in the shard of n.
func (s *System) enter(n uint32) bool {
	s.mayTakePart()
	return s.door.Enter(n)
}

// finishOutside counts completions by somebody who holds no slot.
func (s *System) finishOutside(count int) {
	s.door.Report(int64(count))
	s.completed.Add(uint64(count))
	s.door.Tell()
}

// late fails n, which is ready, if the workers have ended: nobody would take it. The caller
// does this instead of queueing n, so it claims n as if it had popped it. If it sees the
// workers going on, stop has yet to look for what is ready, and sees n.
func (s *System) late(n graphevent.Node) bool { return s.stopped.Load() && s.ending.Late(n) }

// refuse completes the claimed task n without running it.
func (s *System) refuse(n graphevent.Node) {
	s.endUnrun(n, Body{s.colds.At(uint32(n)).body}.givenUp())
}

// endUnrun completes the claimed task n, which does not run, with err.
func (s *System) endUnrun(n graphevent.Node, err error) {
	s.colds.At(uint32(n)).drop()
	if s.log != nil {
		s.traceDone(nil, n, err != nil)
	}
	s.endBody(n, err, nil)
}

// NewEvent returns a new manual event: it completes when it is triggered.
func (s *System) NewEvent() Event {
	e := s.store.NewEvent()
	if s.detour {
		s.noteSite(e)
	}
	return e
}

// Go launches f as a task and returns its event.
func (s *System) Go(f func()) Event { return s.launchNow(Do(f)) }

func (s *System) launchNow(b Body) Event {
	if s.detour {
		return s.takeDetour(nil, b).Launch()
	}
	n := s.store.Acquire(nil)
	if !s.enter(uint32(n)) {
		s.store.Discard(n, nil)
		return s.closed
	}
	s.colds.At(uint32(n)).init(b)
	e := s.store.Start(n, 0)
	if s.log != nil {
		s.traceLaunch(nil, nil, e, flight.LaunchNow)
	}
	if !s.late(n) {
		s.kern.Inject(entry.OfTask(n), kernel.Normal)
	}
	return e
}

// Task begins a task: set its properties, then call [Task.Launch]. A task that is never
// launched is reported by Shutdown.
func (s *System) Task(b Body) Task {
	b.must()
	if s.detour {
		return s.takeDetour(nil, b)
	}
	return s.beginTask(b)
}

func (s *System) beginTask(b Body) Task {
	n := s.store.Acquire(nil)
	if !s.enter(uint32(n)) {
		s.store.Discard(n, nil)
		return Task{sys: s, ev: s.closed}
	}
	s.colds.At(uint32(n)).init(b)
	return Task{sys: s, ev: s.store.Hold(n, 0)}
}
