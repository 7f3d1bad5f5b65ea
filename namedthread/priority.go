package namedthread

// A Priority orders the work in one queue of a [Thread]: all that is high before all that is
// normal, and first in, first out within each.
type Priority uint8

const (
	// PriorityHigh work is run before normal work.
	PriorityHigh Priority = iota
	// PriorityNormal is for everything else.
	PriorityNormal

	priorities = 2
)

// String returns "high" or "normal".
func (p Priority) String() string { return constant("Priority", p, "high", "normal") }

// check panics if p is no priority.
func (p Priority) check() {
	if p >= priorities {
		panic("namedthread: no such priority: " + p.String())
	}
}
