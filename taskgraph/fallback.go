package taskgraph

// A Fallback says what becomes of a task of [Task.OnID] without its thread.
type Fallback uint8

// The fallbacks.
const (
	// FallbackError lets the task fail: with namedthread.ErrNoThread if there was no such thread
	// when OnID was called, with ErrClosed if it has quit since.
	FallbackError Fallback = iota
	// FallbackAnywhere lets workers run the task, with the priority that an ID of any thread has.
	FallbackAnywhere

	fallbacks = 2
)
