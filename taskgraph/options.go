package taskgraph

import (
	"fmt"
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

	// Threads holds the named threads that tasks can be sent to with [Task.On]. Nil: none.
	Threads *namedthread.Registry

	// Park says how idle workers sleep. With ParkGo they sleep and are woken as goroutines,
	// slower, and nothing spins: for programs under testing/synctest.
	Park sleepevent.Park

	// MaxFailures is how many failed tasks keep their errors. Default 65,536.
	MaxFailures int

	// MaxBlocking is how many bodies may be inside [Context.Blocking] at a time and have their
	// workers stood in for. Default DefaultMaxBlocking; negative: none.
	MaxBlocking int

	// MaxTasks is how many tasks may be incomplete at a time, those that are being built
	// included; helpers of loops do not count. Default: no bound.
	MaxTasks int

	// WhenFull says what becomes of a launch beyond MaxTasks. Default FullError.
	WhenFull FullPolicy

	// StuckAfter is how long Shutdown waits for a system that is idle although events are
	// incomplete, before it abandons them. Default 1 s.
	StuckAfter time.Duration

	// OnFailure, if not nil, is called for each task that fails by its own body, by the
	// goroutine that ran it. It must not block or panic.
	OnFailure func(name string, err error)
}

const maxWorkers = 1024

func (o *Options) validate() {
	if o.Workers < 0 || o.Workers > maxWorkers {
		panic(fmt.Sprintf("taskgraph: Options.Workers is %d, not in 0 to %d", o.Workers, maxWorkers))
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
	if o.StuckAfter < 0 {
		panic("taskgraph: Options.StuckAfter is negative")
	}
	if o.StuckAfter == 0 {
		o.StuckAfter = time.Second
	}
}
