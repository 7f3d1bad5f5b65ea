package tick

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Set holds the functions that tick and runs them frame by frame. Make one with [New]. It needs
// no closing; its system is shut down after the last frame has ended.
//
// # Concurrency
//
// Add may be called by any goroutine. StartFrame, Release, Run and EndFrame are for whoever runs
// the frame: one goroutine at a time, which may be a body of the system if nothing in the frame
// waits for that body. What it did before a release happens before the functions of the group; what
// a function did happens before the functions after it, and before the return of the Run that waits
// for it.
//
// # Cost
//
// A frame takes time in proportion to the functions that are due in it and their prerequisites, on
// the goroutine that runs it, and allocates nothing once it has had as many functions, unless one
// fails.
type Set struct {
	sys  *taskgraph.System
	opts Options

	running atomics.Bool // a call that runs the frame

	seq atomics.Uint64 // of the last Add

	mu      sync.Mutex // never held while anything is launched or waited for
	added   []*Tick    // and not yet in every or cooling
	every   []*Tick    // without interval, in the order of Add
	cooling cooling    // with one

	// Of who runs the frame.
	on    bool // a frame goes on
	frame uint64
	now   time.Duration // the sum of the frames' times
	dt    time.Duration
	next  int // the group to be released
	// held: by start group, high priority before the others, and end group; see list
	table [][]*Tick
	ends  [][]*Tick // by end group: what was not waited for
	err   error     // the first failure of the frame

	batch, order, path, edges []*Tick // see arrange
	events                    []taskgraph.Event
}

// New returns a set without functions, which run on sys. It panics if an option is out of its
// range.
func New(sys *taskgraph.System, o Options) *Set {
	if sys == nil {
		panic("tick: New without a system")
	}
	o.validate()
	if th := o.Thread; th != nil && th.Registry() != sys.Threads() {
		panic(fmt.Sprintf("tick: New with %v, which is not of the registry of the system", th))
	}
	o.Groups = append([]Group(nil), o.Groups...)
	n := len(o.Groups)
	return &Set{sys: sys, opts: o, table: make([][]*Tick, 2*n*n), ends: make([][]*Tick, n)}
}

// Add adds a function, and returns its Tick. If a frame goes on the function ticks in it, in its
// group or the next one that is released after that; otherwise it ticks from the next frame on. It
// panics if f is not valid.
func (s *Set) Add(f Function) *Tick {
	f.validate(len(s.opts.Groups))
	t := &Tick{
		s: s, name: f.Name, run: f.Run, group: f.Group, end: max(f.Group, f.End),
		interval: f.Interval, high: f.High, any: f.AnyThread, due: soon,
	}
	t.start, t.fin = t.group, t.end
	t.task = taskgraph.Retain(taskgraph.RunJob((*job)(t)))
	if f.High {
		t.task.Priority(taskgraph.PriorityHigh)
	}
	t.seq = s.seq.Add(1)
	if t.name == "" {
		t.name = fmt.Sprintf("tick %d", t.seq)
	}
	t.task.Name(t.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.after(f.After)
	s.added = append(s.added, t)
	return t
}

// enter begins a call that runs the frame.
func (s *Set) enter(what string, on bool) {
	if !s.running.CompareAndSwap(false, true) {
		panic("tick: " + what + " while another call runs the frame")
	}
	if s.on != on {
		s.running.Store(false)
		if on {
			panic("tick: " + what + " outside a frame: call StartFrame first")
		}
		panic("tick: " + what + " inside a frame: call EndFrame first")
	}
}

// StartFrame begins a frame that is dt after the one before, and holds the functions that are due
// in it. If functions wait for each other in a circle it returns a [taskgraph.CycleError] with
// their names; then no frame begins, and no time has passed. It panics if dt is negative or a frame
// goes on.
func (s *Set) StartFrame(dt time.Duration) error {
	if dt < 0 {
		panic("tick: StartFrame with a negative time")
	}
	s.enter("StartFrame", false)
	defer s.running.Store(false)
	if err := s.collect(dt); err != nil {
		return err
	}
	s.on, s.next, s.err = true, 0, nil
	s.hold()
	return nil
}

// Release launches the functions that start in group g, and returns at once. Those that are bound
// to a thread run when that pumps or waits. Groups are released in their order, each once a frame:
// it panics otherwise.
func (s *Set) Release(g int) {
	s.enter("Release", true)
	defer s.running.Store(false)
	s.release(g)
}

// Run releases group g and waits until all functions that have to end by g have ended, those of
// earlier groups that were not waited for included. It returns the first failure of these, with the
// name of the function, or the cause of ctx's end if that comes first; the frame goes on in both
// cases.
//
// On a named thread of the system it runs the functions that are bound to that thread. A body gives
// its [taskgraph.Context] as ctx: then its worker goes to others while it waits.
func (s *Set) Run(ctx context.Context, g int) error {
	s.enter("Run", true)
	defer s.running.Store(false)
	s.release(g)
	_, err := s.wait(ctx, g)
	return err
}

// EndFrame ends the frame: it runs the groups that were not released, one after the other, waits
// for everything, and then runs what was added since the release of the last group, until nothing
// is added any more. It returns the first failure of the whole frame, whether a Run has returned it
// before or not.
//
// If ctx ends before, it returns the cause of that, and the frame goes on: call it again. If
// functions that were added have added functions a hundred times over, those of the last time start
// with the next frame, and the error is [ErrRunaway].
func (s *Set) EndFrame(ctx context.Context) error {
	s.enter("EndFrame", true)
	defer s.running.Store(false)
	last := len(s.opts.Groups) - 1
	for s.next <= last {
		s.release(s.next)
		if over, err := s.wait(ctx, s.next-1); !over {
			return err
		}
	}
	for round := 0; ; round++ {
		if over, err := s.wait(ctx, last); !over {
			return err
		}
		if s.runaway(round) || !s.admit(last) {
			break
		}
		s.launch(last)
	}
	s.on = false
	return s.err
}

// release launches what starts in group g, with what was added meanwhile.
func (s *Set) release(g int) {
	if g != s.next || g >= len(s.opts.Groups) {
		next := "all have been released"
		if s.next < len(s.opts.Groups) {
			next = "the next one is " + s.groupName(s.next)
		}
		panic("tick: release of " + s.groupName(g) + ", but " + next)
	}
	s.admit(g)
	s.next++
	s.launch(g)
}

func (s *Set) groupName(g int) string {
	if g < 0 || g >= len(s.opts.Groups) {
		return fmt.Sprintf("group %d, which there is not", g)
	}
	return fmt.Sprintf("group %d (%s)", g, s.opts.Groups[g].Name)
}

// list returns the place in the table of what starts in group start and ends by end.
func (s *Set) list(start int, high bool, end int) *[]*Tick {
	n := len(s.opts.Groups)
	row := 2 * start
	if !high {
		row++
	}
	return &s.table[row*n+end]
}

// launch launches all that is held of group g.
func (s *Set) launch(g int) {
	for _, high := range [...]bool{true, false} {
		for end := range s.opts.Groups {
			list := s.list(g, high, end)
			for _, t := range *list {
				t.held.Launch()
			}
			clear(*list) // a Tick that was removed is not kept alive
			*list = (*list)[:0]
		}
	}
}

// wait waits for all that has to end by group g, and returns the failure of it. If ctx ends before
// it is not over, and the error is the cause of that.
func (s *Set) wait(ctx context.Context, g int) (over bool, err error) {
	s.events = s.events[:0]
	for _, ends := range s.ends[:g+1] {
		for _, t := range ends {
			s.events = append(s.events, t.held.Event())
		}
	}
	if c, body := ctx.(*taskgraph.Context); body {
		err = c.Wait(s.events...)
	} else {
		err = s.sys.WaitUntilTasksComplete(ctx, s.events...)
	}
	if err != nil {
		if s.pending(g) {
			return false, err
		}
		err = s.failure(g)
	}
	for i, ends := range s.ends[:g+1] {
		clear(ends)
		s.ends[i] = ends[:0]
	}
	if s.err == nil {
		s.err = err
	}
	return true, err
}

// pending reports whether something that has to end by group g has not.
func (s *Set) pending(g int) bool {
	for _, ends := range s.ends[:g+1] {
		for _, t := range ends {
			if !t.held.Event().IsComplete() {
				return true
			}
		}
	}
	return false
}
