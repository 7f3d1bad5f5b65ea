package taskgraph

// A Fallback says what becomes of a task given to [Task.OnID] if there is no such thread.
type Fallback uint8

const (
	// FallbackError lets the task fail: with namedthread.ErrNoThread if there was no such
	// thread when OnID was called, and as [Task.On] says if it has quit since.
	FallbackError Fallback = iota
	// FallbackAnywhere lets the workers run the task, also if the thread quits before it has
	// begun it. Its priority is then that of the ID, as for an ID of any thread.
	FallbackAnywhere

	fallbacks = 2
)

// String returns "error" or "anywhere".
func (f Fallback) String() string {
	switch f {
	case FallbackError:
		return "error"
	case FallbackAnywhere:
		return "anywhere"
	}
	return "Fallback(?)"
}
