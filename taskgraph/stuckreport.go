package taskgraph

// A StuckReport says what is incomplete in a system and why. [System.Stuck] makes one, the watchdog
// of Options.OnStuck, and a [System.Shutdown] that gives up.
//
// Names are those of [Task.Name] and [System.Name]; of what has none, a number and the function of
// the body, if the task waits for prerequisites. With Options.Sites the report says where each was
// made, and which goroutine waits.
type StuckReport struct {
	// Idle says that nothing ran or was queued while the report was made: then it is exact.
	// Else everything in it was so at some moment, and tasks that came or went may be missing.
	Idle bool

	// Tasks is what is incomplete, events that are no tasks and goroutines that wait included.
	// The first Stuck of them are waiting for what nothing that is under way brings about: a body
	// that runs, a task that is queued, a delay. Of these the causes come first, then what lies
	// on cycles, then what waits for those, the nearest first.
	Tasks []StuckTask
	Stuck int

	// More is how many there are besides those of Tasks.
	More int

	// Cycles holds the names along cycles, each waiting for the next and the last for the first:
	// one cycle of each knot.
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

// Stuck returns what is incomplete, and why. Anybody may call it at any time; it takes no lock and
// stops nobody, but for bodies on a cycle and for bodies that run for too long: to get at their
// stacks it stops the program for a moment. It takes time and memory for each incomplete event.
//
// On a system that is not idle it is a snapshot with blurred edges.
func (s *System) Stuck() *StuckReport { return s.walk().solve() }
