package taskgraph

// A StuckReport says what is incomplete in a system, and why: see [System.Stuck]. Names are those
// of [Task.Name] and [System.Name], or else a number and the function of the body. With
// Options.Sites it also says where each was made, and which goroutine waits.
type StuckReport struct {
	// Idle says that nothing ran or was queued while the report was made: then it is exact. Else
	// everything in it was so at some moment, and tasks that came or went may be missing.
	Idle bool

	// Tasks is what is incomplete, events that are no tasks and goroutines that wait included. The
	// first Stuck of them wait for what nothing under way (a body, a queued task, a delay) brings
	// about: first the causes, then cycles, then what waits for those, the nearest first.
	Tasks []StuckTask
	Stuck int
	More  int // how many there are besides those of Tasks

	// Cycles holds the names along cycles, one of each knot, each name waiting for the next and the
	// last for the first.
	Cycles [][]string

	slow bool // it is about bodies that run for too long
}

// maxStuckTasks bounds the tasks of a report, and maxStuckLines the lines of its text.
const (
	maxStuckTasks = 1000
	maxStuckLines = 32
	maxStuckNames = 16 // that one waits for
	maxCycles     = 8
	maxStacks     = 16
)

// Stuck returns what is incomplete, and why. Anybody may call it at any time; it takes no lock, and
// stops the program for a moment only for stacks, of bodies on a cycle and bodies that run for too
// long. It takes time and memory for each incomplete event.
func (s *System) Stuck() *StuckReport { return s.walk().solve() }
