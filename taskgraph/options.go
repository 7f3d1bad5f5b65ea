package taskgraph

import (
	"cmp"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// Options configures a [System]. The zero value is usable.
type Options struct {
	Workers int // how many tasks run at a time, at most 1024; default GOMAXPROCS

	// Foreground is how many of the Workers leave background work to the others, of which there is
	// at least one. Default half of them, rounded down; negative: none.
	Foreground int

	// Threads holds the named threads that tasks can be sent to with [Task.On]; nil: none. Systems
	// may share it: a body on a thread that waits for a task of another one runs what is bound to
	// the thread there as well.
	Threads *namedthread.Registry

	// Park says how idle workers sleep. With ParkGo they do so as goroutines, slower, and nothing
	// spins: for programs under testing/synctest.
	Park sleepevent.Park
	Idle Idle // how long workers that have nothing to do stay awake; default IdleAdaptive

	// WakeAnywhere leaves it to the operating system on which processors workers run. By default,
	// on Linux with two processors, one that is woken by a body that goes on does so elsewhere,
	// see [sleepevent.Group.WakeElsewhere]; and of two that share a processor between tasks or
	// ranges of a loop one moves. No thread is bound for longer than that takes.
	WakeAnywhere bool

	MaxFailures int // how many failed tasks keep their errors; default 65,536

	// MaxBlocking is how many bodies may be inside [Context.Blocking] at a time and have their
	// workers stood in for. Default 256; negative: none.
	MaxBlocking int

	// MaxTasks is how many tasks may be incomplete at a time, those that are being built included,
	// helpers of loops not. A task counts until a moment after its event is complete. Default: no
	// bound. WhenFull says what becomes of a launch beyond it; default FullError.
	MaxTasks int
	WhenFull FullPolicy

	// StuckAfter is how long a system is idle, with something incomplete, before Shutdown abandons
	// that and OnStuck is called. Default 1 s.
	StuckAfter time.Duration

	// Sites makes the system note where tasks and events are made and which goroutine waits for
	// what, for each [StuckReport]. It takes about a microsecond and 56 bytes for each.
	Sites bool

	// OnStuck, if not nil, is called by a watchdog with what [System.Stuck] returns: when the
	// system has been idle for StuckAfter although something waits that nothing under way will end,
	// again when what waits has changed, and for each body that runs for longer than SlowAfter.
	// There is one call at a time, on a goroutine of the system; it may block, which holds up
	// further reports and a Shutdown, and must not call Shutdown. The watchdog wakes up once in
	// each StuckAfter or half a SlowAfter.
	//
	// Should OnStuck, Logger or OnFailure panic or end its goroutine, Shutdown returns that.
	OnStuck func(*StuckReport)
	Logger  *slog.Logger // if not nil, is given what OnStuck is called for, as warnings

	// SlowAfter is how long a body may run, but for waits through its [Context], before the
	// watchdog reports it, once. It makes the system note when each body begins. Default: for ever.
	SlowAfter time.Duration

	// IsolateWaits makes waits in bodies run what they run on another goroutine. Should that call
	// runtime.Goexit, as FailNow of a test does, the body goes on and gets the failure; without it,
	// the body ends as well. It costs two switches between goroutines for each wait that finds
	// something to run. It does not change forks and ranges of loops, which are calls of the body
	// itself, nor what runs on a named thread because it is bound to that.
	IsolateWaits bool

	// Deterministic, if not nil, makes the order of everything depend on it alone, for tests. Then
	// Workers is 4 by default.
	Deterministic *Deterministic

	// Trace, if not nil, records what the tasks do and when, on a lane for each goroutine that runs
	// them. It belongs to one system. With Deterministic, times are numbers of steps.
	Trace *trace.Recorder

	// Labels makes bodies run under labels of runtime/pprof, "task", "graph" and "priority", which
	// profiles and stacks of goroutines show: go tool pprof -tagfocus task=NAME. A task without a
	// name has that of its body's function, as have helpers of a loop and forked calls that another
	// worker takes. While runtime/trace records, each body is a region, and each run of a graph a
	// task. It takes about 0.7 µs a body, and graphs are run with more care, as with SlowAfter.
	Labels bool

	// OnFailure, if not nil, is called for each task that fails by its own body, before its event
	// completes, on a goroutine made for the call. It must not block.
	OnFailure func(name string, err error)
}

const maxWorkers = 1024

func (o *Options) validate() {
	if o.Workers < 0 || o.Workers > maxWorkers {
		panic(fmt.Sprintf("taskgraph: Options.Workers is %d, not in 0 to %d", o.Workers,
			maxWorkers))
	}
	if o.Deterministic != nil {
		o.Workers = cmp.Or(o.Workers, 4)
	}
	o.Workers = cmp.Or(o.Workers, min(runtime.GOMAXPROCS(0), maxWorkers))
	o.Foreground = max(0, cmp.Or(o.Foreground, o.Workers/2))
	if o.Foreground >= o.Workers {
		panic(fmt.Sprintf("taskgraph: Options.Foreground is %d: one of %d workers must be left "+
			"for background work", o.Foreground, o.Workers))
	}
	o.MaxBlocking = max(0, cmp.Or(o.MaxBlocking, 256))
	o.StuckAfter = cmp.Or(o.StuckAfter, time.Second)
	must(o.MaxFailures >= 0, "Options.MaxFailures is negative")
	must(o.MaxTasks >= 0, "Options.MaxTasks is negative")
	must(o.StuckAfter >= 0, "Options.StuckAfter is negative")
	must(o.SlowAfter >= 0, "Options.SlowAfter is negative")
	must(o.WhenFull <= FullBlock, "Options.WhenFull is no policy")
	must(o.Idle <= IdleAwake, "Options.Idle is none of its constants")
}
