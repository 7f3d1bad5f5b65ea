package taskgraph

import (
	"context"
	"io"
	"math"
	"runtime"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph/internal/capacity"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// Start starts a system. It panics if an option is out of its range.
func Start(o Options) *System {
	follow, half := o.Workers == 0 && o.Deterministic == nil, o.Foreground == 0
	o.validate()
	s := &System{opts: o, mode: park.OS, foreground: o.Foreground}
	if o.Deterministic != nil {
		s.simulate(o.Deterministic)
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
	s.outsiders.Init()
	s.initAsides()
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
		c := capacity.New(o.MaxTasks)
		s.bound = &bound{Capacity: c, left: c.Leave, inlined: capacity.New(maxInlineOutside)}
	}
	s.detour = s.bound != nil || o.Sites
	if o.Sites || o.SlowAfter > 0 {
		s.checks.Store(checkWatched)
	}
	if o.Labels {
		s.checks.Or(checkLabelled)
	}
	s.startTrace()
	sleep := sleepevent.Options{Park: o.Park}
	if o.Idle == IdleSleep {
		sleep.MaxDrowsers = -1
	}
	s.kern = kernel.New(kernel.Config{
		Workers:    s.opts.Workers,
		Foreground: s.opts.Foreground,
		Sleep:      sleep,
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

func (s *System) simulate(d *Deterministic) {
	o := turns.Options{Seed: d.Seed, Schedule: d.Schedule, OnStuck: s.stuckNow}
	if w := d.Trace; w != nil {
		o.Trace = func(line string) { _, _ = io.WriteString(w, line+"\n") }
	}
	s.turns = turns.New(o)
	if threads := s.opts.Threads; threads != nil {
		for _, th := range threads.Threads() {
			s.threadRunner(th)
		}
	}
}

func (s *System) stuckNow() error {
	r := s.Stuck()
	if s.opts.hasWatchdog() {
		s.tell(r)
	}
	return &StuckError{StuckReport: *r, goesOn: true}
}

// follow makes room for as many workers as the machine has processors. As many of them run as
// GOMAXPROCS says, which may change without notice. If half, half of them run only foreground work.
func (s *System) follow(half bool) {
	s.follows = true
	s.opts.Workers = min(max(s.opts.Workers, runtime.NumCPU()), maxWorkers)
	if half {
		s.foreground = -1
		s.opts.Foreground = s.opts.Workers / 2
	}
}

// Workers without work and the watch call adjust.
func (s *System) adjust() {
	if !s.follows {
		return
	}
	for {
		procs := runtime.GOMAXPROCS(0)
		fg := s.foreground
		if fg < 0 {
			fg = procs / 2
		}
		if !s.kern.SetWorkers(procs, fg) {
			return
		}
		// We may have read the number long ago and overwritten a newer one: look again.
	}
}
