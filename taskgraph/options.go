package taskgraph

import (
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
)

// Options configures a [System]. The zero value is usable.
type Options struct {
	// Workers is how many tasks run at a time. Default GOMAXPROCS; at most 1024.
	Workers int

	// Foreground is how many of the Workers run foreground work only, so that background
	// work cannot occupy them. The others run every priority; there is always at least
	// one. Default half of Workers, rounded down; negative: none.
	Foreground int

	// Threads holds the named threads that tasks can be sent to with [Task.On]. Nil: none. Several
	// systems may share a registry: a body on a thread that waits for a task of another of these systems
	// runs what is bound to the thread there as well.
	Threads *namedthread.Registry

	// Park says how idle workers sleep. With ParkGo they sleep and are woken as goroutines,
	// slower, and nothing spins: for programs under testing/synctest.
	Park sleepevent.Park

	// Idle says how long workers stay awake that have nothing to do. Default IdleAdaptive.
	Idle Idle

	// WakeAnywhere leaves it to the operating system on which processor a worker goes on that was woken from
	// sleep. By default a body that launches work and goes on has it wake elsewhere, see [sleepevent.Group.WakeElsewhere].
	WakeAnywhere bool

	// MaxFailures is how many failed tasks keep their errors. Default 65,536.
	MaxFailures int

	// MaxBlocking is how many bodies may be inside [Context.Blocking] at a time and have their
	// workers stood in for. Default DefaultMaxBlocking; negative: none.
	MaxBlocking int

	// MaxTasks is how many tasks may be incomplete at a time, those that are being built
	// included; helpers of loops do not count, and a task counts until a moment after its event
	// has completed. Default: no bound.
	MaxTasks int

	// WhenFull says what becomes of a launch beyond MaxTasks. Default FullError.
	WhenFull FullPolicy

	// StuckAfter is how long Shutdown waits for a system that is idle although events are
	// incomplete, before it abandons them. Default 1 s.
	StuckAfter time.Duration

	// Sites makes the system note where tasks and events are made and which goroutine waits for
	// what, so that a [StuckReport] can tell. It takes about a microsecond and 56 bytes for
	// each. Without it reports name tasks by [Task.Name] or by the function of the body.
	Sites bool

	// OnStuck, if not nil, is called by a watchdog with what [System.Stuck] returns: once the
	// system has been idle for StuckAfter although something waits that nothing under way will
	// end, again when what waits has changed, and for each body that has run for longer than
	// SlowAfter. It is called by a goroutine of the system, one call at a time; it may block,
	// which holds up only further reports and a Shutdown. It must not call Shutdown. Should it panic
	// or end its goroutine, Shutdown returns that as a failure, as it does for the two below.
	//
	// A system with a watchdog wakes up once in each StuckAfter or half a SlowAfter.
	OnStuck func(*StuckReport)

	// Logger, if not nil, is given what OnStuck is called for, as warnings.
	Logger *slog.Logger

	// SlowAfter is how long a body may run before the watchdog reports it, once, by name, age
	// and stack; not while it waits through its [Context]. It is for OnStuck or Logger, and makes
	// the system note when each body begins: a few dozen nanoseconds. Default: for ever.
	SlowAfter time.Duration

	// IsolateWaits makes a wait in a body, of a task, a graph or a Group, have what it runs while it
	// waits run on another goroutine, so that the body goes on, and gets the failure, should that
	// call runtime.Goexit, as FailNow of a test does. Without it the body ends as well, because a
	// Goexit cannot be stopped in the goroutine that it is in. It costs two switches between
	// goroutines for each wait that finds something to run, several times what a small task
	// takes. Default: off.
	//
	// It does not change what is a call of the body itself: forks and ranges of loops that it runs. A
	// wait on a named thread runs what is bound to the thread on that thread in any case, and nothing else then.
	IsolateWaits bool

	// Deterministic, if not nil, makes the order of everything depend on it alone, for tests. Then
	// Workers is 4 by default. Default nil: off.
	Deterministic *Deterministic

	// OnFailure, if not nil, is called for each task that fails by its own body, before its event
	// completes, by a goroutine made for the call. It must not block.
	OnFailure func(name string, err error)
}

const maxWorkers = 1024

// sleep says how workers sleep.
func (o *Options) sleep() sleepevent.Options {
	drowsers := 0
	if o.Idle == IdleSleep {
		drowsers = -1
	}
	return sleepevent.Options{Park: o.Park, MaxDrowsers: drowsers}
}

func (o *Options) validate() {
	if o.Workers < 0 || o.Workers > maxWorkers {
		panic(fmt.Sprintf("taskgraph: Options.Workers is %d, not in 0 to %d", o.Workers, maxWorkers))
	}
	if o.Workers == 0 && o.Deterministic != nil {
		o.Workers = simulatedWorkers
	}
	if o.Workers == 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	switch {
	case o.Foreground < 0:
		o.Foreground = 0
	case o.Foreground == 0:
		o.Foreground = o.Workers / 2
	case o.Foreground >= o.Workers:
		panic(fmt.Sprintf("taskgraph: Options.Foreground is %d: one of %d workers must be left for background work",
			o.Foreground, o.Workers))
	}
	switch {
	case o.MaxBlocking < 0:
		o.MaxBlocking = 0
	case o.MaxBlocking == 0:
		o.MaxBlocking = DefaultMaxBlocking
	}
	if o.MaxFailures < 0 {
		panic("taskgraph: Options.MaxFailures is negative")
	}
	if o.MaxTasks < 0 {
		panic("taskgraph: Options.MaxTasks is negative")
	}
	if o.WhenFull > FullBlock {
		panic("taskgraph: Options.WhenFull is no policy")
	}
	if o.Idle > IdleAwake {
		panic("taskgraph: Options.Idle is none of its constants")
	}
	if o.StuckAfter < 0 {
		panic("taskgraph: Options.StuckAfter is negative")
	}
	if o.SlowAfter < 0 {
		panic("taskgraph: Options.SlowAfter is negative")
	}
	if o.StuckAfter == 0 {
		o.StuckAfter = time.Second
	}
}
