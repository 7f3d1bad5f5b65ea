package ark

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/mlange-42/ark/ecs"
)

// keptPlans is how many sets of systems a schedule remembers the plans of.
const keptPlans = 64

// A Schedule runs systems over an Ark world, frame by frame. Make one with [New]. It needs no
// closing.
//
// # Concurrency
//
// A Schedule is for one goroutine at a time, and so is its world: nothing else may use either
// during a frame. Between frames the program may do with the world what it likes. A world has one
// Schedule that runs at a time.
//
// # Cost
//
// A frame takes a task for each system, or none if that is faster: see [Options.InPlace]. It looks
// at each table of the world once at its start and once at each flush point that has applied
// something. It allocates nothing in steady state, unless bodies do; Ark's methods for batches,
// which move a whole table, take 32 bytes each time.
type Schedule struct {
	sys     *taskgraph.System
	world   *ecs.World
	options Options
	view    *view

	steps  []*System // in the order of registration, with the flush points
	number uint32
	frame  bool            // one goes on
	ctx    context.Context // of the frame

	plan  *plan // of the set that is enabled, or nil if that has to be found
	plans map[string]*plan
	key   []byte
	pace  pace // of a new plan

	measured bool          // the frame's systems are
	flushing time.Duration // how long it took to apply commands meanwhile
}

// A plan is the graph of a set of systems, and what is known of how long they take.
type plan struct {
	graph *taskgraph.Graph
	pace  pace
}

// New returns a schedule without systems for w, which runs on sys. With [Options.Serial] sys may be
// nil. It panics if an option is out of its range.
func New(sys *taskgraph.System, w *ecs.World, o Options) *Schedule {
	o.validate()
	if sys == nil && !o.Serial {
		panic("ark: New without a system")
	}
	return &Schedule{
		sys:     sys,
		world:   w,
		options: o,
		view:    newView(w),
		plans:   map[string]*plan{},
		pace:    newPace(o.InPlace),
	}
}

// Add adds a system behind those that are there. It calls build once, in which the system declares
// what it reads and writes, and which returns what it does in each frame. The name is for errors
// and reports. Add panics during a frame.
func (s *Schedule) Add(name string, build func(a *Access) Body) *System {
	s.between("Add")
	y := &System{schedule: s, name: name, building: true}
	y.body = build(&Access{y})
	y.building = false
	if y.body == nil {
		panic(fmt.Sprintf("ark: system %q has no body", name))
	}
	return s.add(y)
}

// AddFlush adds a flush point: the systems before it have ended when it applies their commands, and
// those after it begin then. There is one at the end of each frame anyway. It panics during a
// frame.
func (s *Schedule) AddFlush(name string) *System {
	s.between("AddFlush")
	return s.add(&System{schedule: s, name: name, flush: true})
}

func (s *Schedule) add(y *System) *System {
	y.number = s.number
	s.number++
	s.steps = append(s.steps, y)
	s.plan = nil
	return y
}

func (s *Schedule) drop(y *System) {
	for i, other := range s.steps {
		if other == y {
			s.steps = append(s.steps[:i], s.steps[i+1:]...)
			s.plan = nil
			return
		}
	}
}

func (s *Schedule) between(what string) {
	if s.frame {
		panic("ark: " + what + " during a frame")
	}
}

// RunFrame runs each enabled system once and applies what they have recorded. The calling goroutine
// takes part, or runs all of them in place. It returns the first failure; then what comes after the
// system that failed has not run, and commands that were not applied are dropped. When ctx ends no
// further system begins, and the failure is its cause.
//
// It panics if a frame of s goes on or the world is locked.
func (s *Schedule) RunFrame(ctx context.Context) error {
	s.between("RunFrame")
	if s.world.IsLocked() {
		panic("ark: RunFrame on a locked world: a query is open")
	}
	if !s.options.Serial && s.plan == nil {
		if err := s.findPlan(); err != nil {
			return err
		}
	}
	s.frame = true
	defer s.endFrame()
	s.view.lock()
	if err := s.runSteps(ctx); err != nil {
		return err
	}
	s.view.unlock()
	for _, y := range s.steps {
		y.applyTo(s.view)
	}
	return nil
}

func (s *Schedule) endFrame() {
	s.ctx = nil
	s.view.unlock()
	for _, y := range s.steps {
		if y.commands {
			y.lists((*Commands).clear)
		}
	}
	s.frame = false
}

func (s *Schedule) runSteps(ctx context.Context) error {
	switch {
	case s.options.Serial:
		return s.runInOrder(ctx, nil)
	case s.options.Verify != VerifyOff:
		return s.sys.Run(
			ctx,
			taskgraph.Run(func(c *taskgraph.Context) error { return s.runInOrder(c, c) }),
		)
	}
	return s.runPlanned(ctx)
}

// runPlanned runs the systems as a graph or in place, as its pace says.
func (s *Schedule) runPlanned(ctx context.Context) (err error) {
	p := &s.plan.pace
	inPlace := p.inPlace && !s.needsTasks()
	var begin time.Time
	if s.measured = p.measures(); s.measured {
		begin, s.flushing = time.Now(), 0
	}
	if inPlace {
		err = s.runInPlace(ctx)
	} else {
		err = s.runGraph(ctx)
	}
	if s.measured {
		p.ran(time.Since(begin) - s.flushing)
	} else {
		p.ran(0)
	}
	return err
}

// needsTasks says whether a system has asked for the Context of its task.
func (s *Schedule) needsTasks() bool {
	for _, y := range s.steps {
		if y.asked && !y.disabled {
			return true
		}
	}
	return false
}

// runInPlace runs one system after the other, and without a task: a panic fails the frame as it
// would the task.
func (s *Schedule) runInPlace(ctx context.Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &graphevent.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return s.runInOrder(ctx, nil)
}

func (s *Schedule) runGraph(ctx context.Context) error {
	// A wait that ctx ended would leave tasks behind, so tasks ask for its end themselves.
	s.ctx = ctx
	if c, ok := ctx.(*taskgraph.Context); ok {
		return s.sys.RunGraph(c, s.plan.graph)
	}
	return s.sys.RunGraph(context.Background(), s.plan.graph)
}

// execInGraph is the body of a system's task.
func (y *System) execInGraph(c *taskgraph.Context) error {
	if ctx := y.schedule.ctx; ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return y.exec(c)
}

// runInOrder runs one system after the other. Loops are parallel if there is a Context for them.
func (s *Schedule) runInOrder(ctx context.Context, c *taskgraph.Context) error {
	for _, y := range s.steps {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var err error
		switch {
		case y.disabled:
		case y.flush:
			s.flushBefore(y)
		case s.options.Verify != VerifyOff:
			err = s.verify(y, c)
		default:
			err = y.exec(c)
		}
		if err != nil {
			return fmt.Errorf("ark: system %q: %w", y.name, err)
		}
	}
	return nil
}

// flushBefore applies what the systems before a flush point have recorded. No system runs
// meanwhile.
func (s *Schedule) flushBefore(point *System) {
	if !s.recorded(point) {
		return
	}
	if s.measured {
		begin := time.Now()
		defer func() { s.flushing += time.Since(begin) }()
	}
	s.view.unlock()
	for _, y := range s.steps {
		if y == point {
			break
		}
		y.applyTo(s.view)
	}
	s.view.lock()
}

func (s *Schedule) recorded(point *System) (some bool) {
	for _, y := range s.steps {
		if y == point {
			break
		}
		if y.commands {
			y.lists(func(c *Commands) { some = some || len(c.entities) > 0 })
		}
	}
	return some
}

// findPlan finds or makes the plan of the systems that are enabled.
func (s *Schedule) findPlan() error {
	s.key = s.key[:0]
	for _, y := range s.steps {
		if !y.disabled {
			s.key = binary.LittleEndian.AppendUint32(s.key, y.number)
		}
	}
	if p, ok := s.plans[string(s.key)]; ok {
		s.plan = p
		return nil
	}
	g, err := s.buildGraph()
	if err != nil {
		return err
	}
	if len(s.plans) == keptPlans {
		clear(s.plans)
	}
	s.plan = &plan{graph: g, pace: s.pace}
	s.plans[string(s.key)] = s.plan
	return nil
}

func (s *Schedule) buildGraph() (*taskgraph.Graph, error) {
	var b taskgraph.GraphBuilder
	var since []taskgraph.GraphTask // the last flush point, and what comes after it
	flushed := false                // the first of since is a flush point
	for _, y := range s.steps {
		switch {
		case y.disabled:
		case y.flush:
			t := b.Task(taskgraph.Do(func() { s.flushBefore(y) })).After(since...).Name(y.name)
			since, flushed = append(since[:0], t), true
		default:
			t := b.Task(taskgraph.Run(y.execInGraph)).
				Reads(y.reads...).
				Writes(y.writes...).
				Name(y.name)
			if flushed {
				t = t.After(since[0])
			}
			since = append(since, t)
		}
	}
	g, err := b.Build()
	if err != nil {
		return nil, errors.Join(errors.New("ark: the systems make no graph"), err)
	}
	return g, nil
}
