package sleepevent

// A State is what a worker is doing as far as its [Group] knows.
type State uint32

const (
	// StateRunning: the worker is not inside Idle, or is about to return from it.
	StateRunning State = iota

	// StateDrowsing: the worker is idle and awake. Waking it makes no kernel call.
	StateDrowsing

	// StateSleeping: the worker is idle and waits in the kernel or in the Go scheduler.
	StateSleeping
)

// String returns the state's word.
func (s State) String() string {
	switch s {
	case StateRunning:
		return "running"
	case StateDrowsing:
		return "drowsing"
	case StateSleeping:
		return "sleeping"
	}
	return "State(?)"
}
