package ark

import (
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/mlange-42/ark/ecs"
)

// A System is what runs once in each frame of a [Schedule]: something that [Schedule.Add] has
// added, or a flush point.
type System struct {
	schedule *Schedule
	name     string
	number   uint32 // no other of the schedule has had it
	flush    bool
	disabled bool
	removed  bool

	building bool
	reads    []any // components by their IDs, and other things
	writes   []any
	commands bool
	adders   int
	queries  []*Query
	body     Body

	running bool
	asked   bool // it has asked for the Context of its task
	run     Run
}

// Name returns the name.
func (y *System) Name() string { return y.name }

// SetEnabled says whether the system takes part in the frames that follow. It panics during a
// frame. Graphs are kept by their set of systems, so switching back and forth costs nothing.
func (y *System) SetEnabled(on bool) {
	y.schedule.between("SetEnabled")
	y.disabled = !on
	y.schedule.plan = nil
}

// Enabled says whether the system takes part in frames.
func (y *System) Enabled() bool { return !y.disabled && !y.removed }

// Remove takes the system out of its schedule, for good. It panics during a frame.
func (y *System) Remove() {
	y.schedule.between("Remove")
	y.removed = true
	y.schedule.drop(y)
}

func (y *System) declare(thing any, write bool) {
	if slices.Contains(y.writes, thing) {
		return
	}
	at := slices.Index(y.reads, thing)
	switch {
	case write:
		if at >= 0 {
			y.reads = slices.Delete(y.reads, at, at+1)
		}
		y.writes = append(y.writes, thing)
	case at < 0:
		y.reads = append(y.reads, thing)
	}
}

func (y *System) declared(id ecs.ID) (read, write bool) {
	write = slices.Contains(y.writes, any(id))
	return write || slices.Contains(y.reads, any(id)), write
}

func (y *System) records() {
	if !y.commands {
		panic(fmt.Sprintf("ark: system %q records commands without having declared it", y.name))
	}
}

// exec runs the body, with the Context of its task or nil.
func (y *System) exec(c *taskgraph.Context) error {
	y.running = true
	y.run.step, y.run.ctx = y, c
	defer func() { y.running, y.run.ctx = false, nil }()
	return y.body(&y.run)
}

// lists calls f for each list of commands, in the order in which they are applied.
func (y *System) lists(f func(*Commands)) {
	f(&y.run.cmds)
	for _, q := range y.queries {
		for i := range q.chunks {
			f(&q.chunks[i].cmds)
		}
	}
}
