package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/spin"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/abandon"
	"github.com/heddle-go/heddle/taskgraph/internal/asides"
	"github.com/heddle-go/heddle/taskgraph/internal/beat"
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
	"github.com/heddle-go/heddle/taskgraph/internal/capacity"
	"github.com/heddle-go/heddle/taskgraph/internal/door"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/forks"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
	"github.com/heddle-go/heddle/taskgraph/internal/pending"
	"github.com/heddle-go/heddle/taskgraph/internal/places"
	"github.com/heddle-go/heddle/taskgraph/internal/promotion"
	"github.com/heddle-go/heddle/taskgraph/internal/records"
	"github.com/heddle-go/heddle/taskgraph/internal/sites"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
	"github.com/heddle-go/heddle/taskgraph/internal/watch"
)

// An Event completes when its task has: see package graphevent.
type Event = graphevent.Event

// A System is a set of workers and the tasks they run. Make one with [Start], and end it with
// [System.Shutdown]: a System that is dropped leaks its workers.
//
// # Concurrency
//
// Any goroutine may call all methods. If [Context] has a method of the same name, a body should
// call that one, because the system cannot detect a wait that bypasses the Context. If it has none,
// as for [System.Run], a body passes its Context as ctx.
//
// What a goroutine did before it launched a task synchronizes before the task's body. The end of a
// body synchronizes before the bodies of its dependents, and before the return of a wait for its
// event.
//
// # Progress
//
// Launching is lock-free. A worker takes a task that is ready unless all workers are busy. If
// their bodies block, a monitor adds workers.
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
	beat      beat.Lead

	// colds has the cold part of each node of the store, at the same index.
	colds paged.Table[cold]

	forks forks.Pool[Context, Args]
	cells forks.Types // see ForkOf

	calls bundles.Pool[Group, func()] // queued ones

	acquirers records.Pool[acquirer]
	gates     atomics.Uint64 // how many were made

	graphs places.Table[Graph] // that run, by the indices of their entries

	costs                 loopcost.Table
	credits               loopcost.Credits
	lone                  Participant             // an only participant, called from outside
	freeLoops, otherLoops lockfree.Stack[*loop]   // see takeLoop
	asides                asides.Pool[helped]     // see helpAside
	callers               lockfree.Stack[*runner] // idle ones

	door door.Door // counts incomplete launches; closed when Shutdown begins

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

	sites      sites.Table
	labels     sites.Notes[label] // of events that are no tasks, and that the system has made
	lookouts   watch.List[Graph]  // bodies, if they are watched
	inspecting atomics.Int32      // reports that are being made

	waiters  waits.Waiters // of goroutines from outside
	sleepers atomics.Int32 // of them, blocked in the operating system

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

// leave is the last call of each goroutine of the system.
func (s *System) leave() {
	if s.runners.Add(-1) == 0 {
		s.ended.Unpark()
	}
}

// enter admits a launch from outside, which is counted in the shard of n.
func (s *System) enter(n uint32) bool {
	s.turns.CheckSometimes()
	return s.door.Enter(n)
}

// enterInside counts a launch by a body that holds no slot.
func (s *System) enterInside() {
	s.door.Report(-1)
	s.launches.Add(1)
}

// finishOutside counts completions by somebody who holds no slot.
func (s *System) finishOutside(count int) {
	s.door.Report(int64(count))
	s.completed.Add(uint64(count))
	s.door.Tell()
}
