package tick

import (
	"fmt"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// A Function is what [Set.Add] adds to the frame. Only Run is required.
type Function struct {
	// Name is for messages and for the system's reports. Default: its number, as in "tick 7".
	Name string

	// Run is called once in each frame in which the function is due, on a worker or on
	// [Options.Thread], with the time since its last call; in its first call with that of the
	// frame. An error, or a panic, fails the function for this frame: those that come after it are
	// skipped, and it ticks again in the next frame. With c it launches tasks, waits, loops in
	// parallel, and puts off the end of its tick with DontCompleteUntil.
	Run func(c *taskgraph.Context, dt time.Duration) error

	// Group is the group in which it starts.
	Group int

	// End is the group by whose end it must have ended. Default, and with anything less than Group:
	// Group.
	End int

	// After holds prerequisites: functions that must have ended before this one begins, in each
	// frame in which both tick. [Tick.After] adds more.
	After []*Tick

	// Interval is how often the function is due, at most once a frame. It is first due at once, and
	// then at multiples of Interval after that, by the time of frames: what a frame is late does
	// not add up, and times that pass within one frame are left out. Default 0: in each frame.
	Interval time.Duration

	// High puts the function on the high-priority list of its group, and makes it a task of high
	// priority.
	High bool

	// AnyThread lets the workers run the function although there is an [Options.Thread]. It does
	// not hold for a frame in which the function is demoted: beside the functions of another group
	// it may not be safe.
	AnyThread bool
}

func (f *Function) validate(groups int) {
	switch {
	case f.Run == nil:
		panic(fmt.Sprintf("tick: Add of %q without Run", f.Name))
	case f.Group < 0 || f.Group >= groups:
		panic(fmt.Sprintf("tick: Add of %q to group %d of %d", f.Name, f.Group, groups))
	case f.End >= groups:
		panic(fmt.Sprintf("tick: Add of %q with end group %d of %d", f.Name, f.End, groups))
	case f.Interval < 0:
		panic(fmt.Sprintf("tick: Add of %q with a negative Interval", f.Name))
	}
}
