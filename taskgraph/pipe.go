package taskgraph

// A Pipe runs its tasks one after the other, in the order in which they became ready: a task
// that waits for prerequisites holds up nobody. It has no thread of its own; any worker runs
// them. The next task starts when the one before has completed, which is after its body has
// returned if [Context.DontCompleteUntil] says so. How the task ends does not matter.
//
// A task that waits for a later one of its own pipe waits for ever; a prerequisite says the same
// without that.
//
// Make one with [System.NewPipe]. It needs no closing, and can be used for any number of tasks.
type Pipe struct{ gate *gate }

// NewPipe returns a Pipe for tasks of the system.
func (s *System) NewPipe() *Pipe { return &Pipe{s.newGate(1, false, "pipe")} }

// In makes the task one of p. A task can have several gates, that is pipes, limiters and
// semaphores: it enters them one after the other, in the order in which they were made, whatever
// the order of the calls, and keeps its place in one while it waits for the next. So tasks
// cannot wait for each other in a circle. It panics if p is of another system, if the task is in p
// already, or if it was launched.
func (t Task) In(p *Pipe) Task {
	if p == nil {
		panic("taskgraph: In of a nil Pipe")
	}
	return t.through(p.gate, "In")
}

// Idle returns an event that completes when p has no incomplete task, or is complete already. A
// task counts from its In on, even if it is not launched yet, until a moment after its event is
// complete.
func (p *Pipe) Idle() Event { return p.gate.idleEvent() }
