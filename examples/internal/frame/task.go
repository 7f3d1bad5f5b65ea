package frame

import (
	"fmt"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/tick"
)

// A stepTask is a step as a task. All that a frame needs is made once.
type stepTask struct {
	pl   *graphPlayer
	i    int
	s    *step
	loop taskgraph.Loop
	site taskgraph.LoopSite // the loops of all steps have one body, and cost differently
	tick *tick.Tick         // nil for later steps

	asked int // the frame in which the step was put off until another one is done; or -1

	whole *taskgraph.Retained // the loop as a task of its own, if it feeds other steps
	done  *taskgraph.Retained // runs finish on the game thread
	audio *taskgraph.Retained // does the work on the audio thread

	// Of a step that another one feeds, see feed.
	fed     bool
	objects []*objectTask
	open    []taskgraph.Event // scratch: those that are not complete
	after   []taskgraph.Event // of this frame: what its objects wait for beside who feeds them
	maybe   taskgraph.Event   // likewise: what each waits for if its first part says so
	source  int               // who feeds them
}

// An objectTask updates one object of a step that is fed.
type objectTask struct {
	t     *stepTask
	k     int // the object
	task  *taskgraph.Retained
	event taskgraph.Event // of this frame; written by the body that feeds it
	frame int             // in which it was launched; -1: none yet
	begun bool            // its first part is done
	again int             // how often it had something else to wait for
}

func (pl *graphPlayer) newTask(i int) *stepTask {
	s := &pl.plan.steps[i]
	t := &stepTask{pl: pl, i: i, s: s, asked: -1}
	t.loop = taskgraph.Loop{Grain: s.grain, Body: t.part, Site: &t.site, Limit: pl.most}
	if s.finish != nil {
		t.done = taskgraph.Retain(taskgraph.Do(func() { s.finish(pl.now) })).Name(s.name +
			", finish").On(pl.crew.game)
	}
	if s.place.later() {
		return t
	}
	if s.place == onAudio {
		t.audio = taskgraph.Retain(taskgraph.Run(func(c *taskgraph.Context) error {
			return t.do(c,
				pl.now)
		})).Name(s.name + ", on its thread").On(pl.crew.audio)
	}
	f := tick.Function{
		Name: s.name, Run: t.run, Group: int(s.group), End: int(s.end), High: s.high,
		AnyThread: s.place != onGame,
	}
	for _, b := range s.before {
		f.After = append(f.After, pl.tasks[b].tick)
	}
	t.tick = pl.set.Add(f)
	return t
}

// connect makes the tasks of the steps that this one feeds.
func (t *stepTask) connect() {
	if len(t.s.feeds) > 0 {
		t.whole = taskgraph.Retain(taskgraph.RunLoop(&t.loop)).Name(t.s.name + ", its objects")
	}
	for _, fd := range t.s.feeds {
		to := t.pl.tasks[fd.step]
		to.fed, to.source = true, t.i
		for k := range fd.most {
			o := &objectTask{t: to, k: k, frame: -1}
			o.task = taskgraph.Retain(taskgraph.Run(o.run)).Name(to.s.name + ", one of them")
			to.objects = append(to.objects, o)
		}
		to.open = make([]taskgraph.Event, 0, fd.most)
	}
}

// run is the task. If the first part of an object has found that there is something else to wait
// for, the task gives itself up until that is done.
func (o *objectTask) run(c *taskgraph.Context) error {
	t, frame := o.t, o.t.pl.now
	if o.frame < 0 {
		return nil // see rehearse
	}
	start, lane := t.pl.rec.now(), t.pl.lane(c)
	if !o.begun && t.s.first != nil {
		o.begun = true
		if t.s.first(frame, o.k) && !t.maybe.IsComplete() {
			t.pl.rec.span(lane, t.i, frame, o.k, start)
			o.again++
			c.Again(t.maybe)
			return nil
		}
	}
	t.s.work(frame, o.k, o.k+1)
	t.pl.rec.span(lane, t.i, frame, o.k, start)
	return nil
}

// prepare is called when the frame's ticks are held, and none of them runs.
func (t *stepTask) prepare() {
	if !t.fed {
		return
	}
	t.after = t.after[:0]
	for _, b := range t.s.before {
		if b != t.source {
			t.after = append(t.after, t.pl.tasks[b].tick.Event())
		}
	}
	if t.s.first != nil {
		t.maybe = t.pl.tasks[t.s.last].tick.Event()
	}
}

// run is the tick.
func (t *stepTask) run(c *taskgraph.Context, _ time.Duration) error {
	frame := t.pl.now
	if t.s.missing != nil {
		if a := t.s.missing(frame); a != nil {
			c.Again(a.event) // the task has new prerequisites, and runs once more
			return nil
		}
	}
	if t.s.asks != nil && t.asked != frame && t.s.asks(frame) {
		t.asked = frame
		c.Again(t.pl.tasks[t.s.last].tick.Event())
		return nil
	}
	if t.audio != nil {
		c.DontCompleteUntil(t.pl.launch(c, t.audio))
	} else if t.fed {
		// All objects have been launched by who feeds them. One call, since each makes the threads
		// that wait look again.
		t.open = t.open[:0]
		for _, o := range t.objects {
			if o.frame == frame && !o.isWell() {
				t.open = append(t.open, o.event)
			}
		}
		c.DontCompleteUntil(t.open...)
	} else if err := t.do(c, frame); err != nil {
		return err
	}
	if t.done != nil {
		// on the game thread; this worker goes on with something else
		c.DontCompleteUntil(t.pl.launch(c, t.done))
	}
	return nil
}

// isWell tells whether the object has been updated without a failure. Of thousands most have when
// this is asked.
func (o *objectTask) isWell() bool { return o.event.IsComplete() && o.event.Err() == nil }

// do does the work of the step, alone or as a loop.
func (t *stepTask) do(c *taskgraph.Context, frame int) error {
	if t.s.objects == nil {
		start := t.pl.rec.now()
		t.s.work(frame, 0, 1)
		t.pl.rec.span(t.pl.lane(c), t.i, frame, 0, start)
		return nil
	}
	t.loop.N = t.s.objects()
	if t.whole != nil {
		// The loop is all that its task does. So whoever has done an object can leave it for what
		// that feeds, also who runs the loop: no body lies beneath it that would have to wait
		// meanwhile.
		c.DontCompleteUntil(t.pl.launch(c, t.whole))
		return nil
	}
	if err := c.RunLoop(t.loop); err != nil {
		return fmt.Errorf("step %q: %w", t.s.name, err)
	}
	return nil
}

// part does a range of the step's objects.
func (t *stepTask) part(p *taskgraph.Participant, lo, hi int) error {
	frame := t.pl.now
	if t.s.place.later() {
		frame = t.pl.behind
	}
	if t.whole != nil {
		t.feed(p.Context(), frame, lo, hi)
		return nil
	}
	start := t.pl.rec.now()
	t.s.work(frame, lo, hi)
	t.pl.rec.span(t.pl.lane(p.Context()), t.i, frame, lo, start)
	return nil
}

// feed does a range of the step's objects one by one, and as soon as one is done launches what that
// feeds: on the worker that has done it, which turns to it after its range, if no other is free
// before.
func (t *stepTask) feed(c *taskgraph.Context, frame, lo, hi int) {
	lane := t.pl.lane(c)
	for i := lo; i < hi; i++ {
		start := t.pl.rec.now()
		t.s.work(frame, i, i+1)
		t.pl.rec.span(lane, t.i, frame, i, start)
		for _, fd := range t.s.feeds {
			for _, k := range fd.of(i) {
				t.pl.tasks[fd.step].launch(c, int(k))
			}
		}
	}
}

// launch launches the update of an object of a step that is fed.
func (t *stepTask) launch(c *taskgraph.Context, k int) {
	o := t.objects[k]
	o.frame, o.begun = t.pl.now, false
	o.event = t.pl.launch(c, o.task, t.after...)
}
