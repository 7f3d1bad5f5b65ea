package tick

import (
	"fmt"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Tick is a function in a [Set]. Make one with [Set.Add].
//
// # Concurrency
//
// After and Remove may be called by any goroutine, functions that tick included. Event and Groups
// are for the goroutine that runs the frame.
type Tick struct {
	s    *Set
	name string
	run  func(c *taskgraph.Context, dt time.Duration) error

	group, end int
	interval   time.Duration
	high, any  bool

	gone atomics.Bool // removed, for the body; see also below

	// Under Set.mu, which is never held over an atomic step, so that a model sees all that waits:
	removed bool
	before  []*Tick       // prerequisites
	due     time.Duration // of one with an interval: when, or soon
	seq     uint64        // number of the Add

	// Of the frame, for who runs it. The body reads dt, which is written before the launch.
	frame      uint64 // the last one that it was part of
	mark       mark
	scan       int // of its prerequisites, for the search
	lo, hi     int // its prerequisites of the frame are Set.edges[lo:hi]
	start, fin int // groups of the frame
	ran        bool
	last       time.Duration // when it last ran
	dt         time.Duration

	task   *taskgraph.Retained
	held   taskgraph.Task
	thread *namedthread.Thread // where task runs
}

// soon is due before everything else.
const soon = time.Duration(-1)

// A mark says how far the search for an order of the frame has come.
type mark uint8

const (
	unseen mark = iota
	open        // it is on the path that is being searched
	placed      // it has its groups
)

// A job is a Tick as the system sees it.
type job Tick

// Run implements taskgraph.Job.
func (j *job) Run(c *taskgraph.Context) error {
	if j.gone.Load() {
		return nil
	}
	return j.run(c, j.dt)
}

// After adds prerequisites: functions that must have ended before t begins, in each frame in which
// both tick. It holds from the next frame on, and also for the one that goes on if t was added in
// it and has not been held yet. A function that is removed is nobody's prerequisite any more.
//
// Functions that wait for each other in a circle are found by [Set.StartFrame]. After panics if one
// of others is t itself, or of another set.
func (t *Tick) After(others ...*Tick) {
	if t.s == nil {
		panic("tick: After of a zero Tick")
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.after(others)
}

func (t *Tick) after(others []*Tick) {
	for _, p := range others {
		switch {
		case p == nil || p.s != t.s:
			panic(fmt.Sprintf("tick: %q after a tick that is not of its set", t.name))
		case p == t:
			panic(fmt.Sprintf("tick: %q after itself", t.name))
		}
	}
	if !t.removed {
		t.before = append(t.before, others...)
	}
}

// Remove takes t out of its set, for good. If t is part of the frame that goes on and has not
// begun, it does not run; if it has begun, it runs to its end. To remove it again does nothing.
func (t *Tick) Remove() {
	if t.s == nil {
		panic("tick: Remove of a zero Tick")
	}
	t.s.mu.Lock()
	t.removed = true
	t.before = nil
	t.s.mu.Unlock()
	t.gone.Store(true)
}

// Event returns the event of t in the frame that goes on: other tasks can be launched after it,
// whether its group has been released or not. It is the zero Event, which is complete, if t has no
// part in the frame.
func (t *Tick) Event() taskgraph.Event {
	if t.s == nil || !t.s.on || t.frame != t.s.frame {
		return taskgraph.Event{}
	}
	return t.held.Event()
}

// Groups returns the groups in which t started and by which it had to end in the last frame that it
// was part of, after demotion; before that, those it was added with.
func (t *Tick) Groups() (start, end int) { return t.start, t.fin }

// String returns the name.
func (t *Tick) String() string { return t.name }
