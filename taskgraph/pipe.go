package taskgraph

// A Pipe runs its tasks one after the other, in the order in which they became ready, whatever
// their priority: one that waits for prerequisites holds up nobody. Any worker runs them. A task
// leaves the pipe when it completes, however it ends. One that waits for a later one of its own
// pipe waits for ever. Make one with [System.NewPipe]. Any goroutine may use it.
type Pipe struct{ gate *gate }

// NewPipe returns a Pipe for tasks of the system.
func (s *System) NewPipe() *Pipe { return &Pipe{s.newGate(1, false, "pipe")} }

// In makes the task one of p. It panics if the task is in p already. A task can have several gates:
// pipes, limiters and semaphores. It enters them one after the other, in the order in which they
// were made, and keeps its place in one while it waits for the next; so no circle of waits arises.
func (t Task) In(p *Pipe) Task {
	if p == nil {
		panic("taskgraph: In of a nil Pipe")
	}
	return t.through(p.gate, "In")
}

// Idle returns an event that completes when p has no incomplete task, or is complete already. A
// task counts from its In on, launched or not, until a moment after its event is complete.
func (p *Pipe) Idle() Event { return p.gate.idleEvent() }
