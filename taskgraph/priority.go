package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/kernel"

// A Priority is the order in which ready tasks are taken: a worker takes none while it finds one of
// a higher priority. It interrupts nothing. So that nothing starves, of 61 tasks that a
// background-capable worker takes one is looked for from a lower priority on. It is not a priority
// of the operating system, which belongs to threads.
type Priority uint8

// The priorities. The first two are foreground work, which every worker runs; the others, highest
// first, run on background-capable workers only and after it.
const (
	PriorityNormal Priority = iota // that of what has none
	PriorityHigh                   // above all others
	PriorityBackgroundHigh
	PriorityBackgroundNormal
	PriorityBackgroundLow
)

var priorityNames = [...]string{"normal", "high", "background-high", "background-normal",
	"background-low"}

// String returns the priority's name.
func (p Priority) String() string { return priorityNames[p] }

func (p Priority) must(what string) {
	if int(p) >= len(priorityNames) {
		panic("taskgraph: " + what + " out of range")
	}
}

// level returns the kernel's level for p; the kernel counts from the highest priority.
func (p Priority) level() kernel.Level {
	if p <= PriorityHigh {
		return kernel.Level(PriorityHigh - p)
	}
	return kernel.Level(p)
}

func priorityOf(l kernel.Level) Priority { return Priority(Priority(l).level()) }
