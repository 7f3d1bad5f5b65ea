package frame

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/tick"
)

// A graphPlayer plays the frame as tasks. The goroutine that plays is the game thread.
//
// The steps of a frame are ticks: tasks that are held at its start and launched group by group.
// Those of the render thread are of the frame before, whose picture is described by a context that
// nobody writes any more. They are one task on that thread. Both end with the frame.
type graphPlayer struct {
	plan  *plan
	rec   *recorder
	sys   *taskgraph.System
	crew  *crew
	set   *tick.Set
	tasks []*stepTask // a step each

	textbook bool // wait for each group before the next one is released
	// draw the picture of a frame when all else of that is done, and not beside the next frame
	apart bool

	// scarce says that there are fewer processors than workers and threads. Then the picture of the
	// frame before waits for the steps of the plan's gate: nothing depends on it, so it is what is
	// done where there is nothing else to do.
	scarce bool
	gate   []taskgraph.Event // of these steps
	cores  int               // the processors of the program
	most   int               // participants of a loop

	now    int // the frame that is played
	behind int // the one whose later steps are played
	last   int // the one whose later steps were not played, or -1
	render *taskgraph.Retained
	rest   func() error // waits for what others have launched; or nil

	// told of each launch but those of tick groups and loops, for tests; or nil
	launched func(c *taskgraph.Context)
}

// newGraph starts the workers of a system that has the crew's threads, and other options as given.
// Whoever calls it is the crew's game thread.
func newGraph(p *plan, rec *recorder, crew *crew, workers int, textbook bool,
	system taskgraph.Options) *graphPlayer {
	cores := runtime.GOMAXPROCS(0)
	pl := &graphPlayer{
		plan: p, rec: rec, crew: crew, textbook: textbook, last: -1,
		cores: cores, scarce: cores < workers+2, most: max(workers, cores),
	}
	system.Workers, system.Threads = workers, crew.registry
	pl.sys = taskgraph.Start(system)
	o := tick.Options{Thread: crew.game}
	for g, name := range groupNames {
		physics := group(g) == groupStartPhysics || group(g) == groupEndPhysics
		o.Groups = append(o.Groups, tick.Group{Name: name, NoDemotion: physics})
	}
	pl.set = tick.New(pl.sys, o)
	pl.tasks = make([]*stepTask, len(p.steps))
	for i := range p.steps {
		pl.tasks[i] = pl.newTask(i)
	}
	for _, t := range pl.tasks {
		t.connect()
	}
	pl.render = taskgraph.Retain(taskgraph.Run(pl.renderFrame)).Name("render").On(crew.render)
	for range rehearsals {
		pl.rehearse()
	}
	return pl
}

// rehearsals is how often a player rehearses: what is where then is a matter of chance.
const rehearsals = 4

// rehearse launches all tasks of objects at once, which find that they have none. What grows with
// the number of tasks has then grown before the first frame, and not in one of hundreds later.
func (pl *graphPlayer) rehearse() {
	var all []taskgraph.Event
	begin := taskgraph.Run(func(c *taskgraph.Context) error {
		gate := pl.sys.NewEvent()
		for _, t := range pl.tasks {
			for _, o := range t.objects {
				all = append(all, o.task.Launch(c, gate))
			}
		}
		c.DontCompleteUntil(all...)
		c.Task(taskgraph.Do(func() { gate.Trigger() })).Launch()
		return nil
	})
	_ = pl.sys.WaitUntilTasksComplete(context.Background(), pl.sys.Task(begin).Launch())
}

// begin gives the program one P more than it has processors, until end. There are more threads
// that run now and then than workers, and one that the kernel has taken off its processor keeps
// its P for milliseconds. With a spare one the others go on meanwhile.
func (pl *graphPlayer) begin() { runtime.GOMAXPROCS(pl.cores + 1) }

func (pl *graphPlayer) end() { runtime.GOMAXPROCS(pl.cores) }

// frame implements player.
func (pl *graphPlayer) frame(frame int) error {
	ctx := context.Background()
	pl.now = frame
	err := pl.set.StartFrame(pl.plan.dt)
	pl.gate = pl.gate[:0]
	if pl.scarce && err == nil {
		for _, i := range pl.plan.gate {
			pl.gate = append(pl.gate, pl.tasks[i].tick.Event())
		}
	}
	picture := pl.launchBehind(pl.gate...)
	pl.last = frame
	if err == nil {
		for _, t := range pl.tasks {
			t.prepare()
		}
		for g := range groups {
			if pl.textbook {
				_ = pl.set.Run(ctx, int(g)) // EndFrame returns the failure
			} else {
				pl.set.Release(int(g))
			}
		}
		if err = pl.set.EndFrame(ctx); err != nil {
			pl.settle()
		}
	}
	if pl.apart && err == nil {
		picture = pl.launchBehind()
	}
	err = errors.Join(err, pl.join(picture))
	// The end of the frame is where the game thread does what others have sent it: what was loaded
	// comes to life. Besides, the tasks that its waits have run still have their places in its
	// queue.
	start := pl.rec.now()
	if _, perr := pl.crew.game.PumpUntilIdle(namedthread.QueueMain); perr != nil {
		err = errors.Join(err, perr)
	}
	if pl.plan.next != nil {
		if next := pl.plan.next(frame); err == nil {
			err = next
		}
		pl.rec.span(len(pl.rec.lanes)-len(threadNames), len(pl.plan.steps)+betweenFrames, frame, 0,
			start)
	}
	return err
}

// settle waits for the objects that a step has fed although the frame has failed, and looks at
// their failures.
func (pl *graphPlayer) settle() {
	for _, t := range pl.tasks {
		for _, o := range t.objects {
			if o.frame == pl.now {
				_ = pl.sys.WaitUntilTasksComplete(context.Background(), o.event)
			}
		}
	}
}

// launchBehind launches the later steps of the frame before, if they were not played.
func (pl *graphPlayer) launchBehind(after ...taskgraph.Event) taskgraph.Event {
	if pl.last < 0 {
		return taskgraph.Event{}
	}
	pl.behind, pl.last = pl.last, -1
	return pl.launch(nil, pl.render, after...)
}

// launch launches a task from inside the body of c or, if that is nil, from outside.
func (pl *graphPlayer) launch(c *taskgraph.Context, task *taskgraph.Retained,
	after ...taskgraph.Event) taskgraph.Event {
	if pl.launched != nil {
		pl.launched(c)
	}
	if c == nil {
		return task.Launch(pl.sys, after...)
	}
	return task.Launch(c, after...)
}

// join waits for the later steps.
func (pl *graphPlayer) join(picture taskgraph.Event) error {
	if err := pl.sys.WaitUntilTasksComplete(context.Background(), picture); err != nil {
		return fmt.Errorf("later steps: %w", err)
	}
	return nil
}

// finish implements player.
func (pl *graphPlayer) finish() error {
	return errors.Join(pl.join(pl.launchBehind()), pl.waitForRest())
}

// close implements player.
func (pl *graphPlayer) close() error {
	return errors.Join(pl.waitForRest(), pl.sys.Shutdown(context.Background()))
}

func (pl *graphPlayer) waitForRest() error {
	if pl.rest == nil {
		return nil
	}
	return pl.rest()
}

// renderFrame is the render thread's part of a frame: its steps one after the other, with the
// workers' help for the ranges.
func (pl *graphPlayer) renderFrame(c *taskgraph.Context) error {
	for i, t := range pl.tasks {
		if s := &pl.plan.steps[i]; s.place.later() {
			if err := t.do(c, pl.behind); err != nil {
				return err
			}
		}
	}
	return nil
}

// lane returns the recorder's lane of whoever runs a body.
func (pl *graphPlayer) lane(c *taskgraph.Context) int {
	if lane := pl.crew.lane(c.Thread(), len(pl.rec.lanes)-len(threadNames)); lane >= 0 {
		return lane
	}
	if w := c.Worker(); w >= 0 {
		if w < len(pl.rec.lanes)-len(threadNames) {
			return w
		}
	}
	return -1
}
