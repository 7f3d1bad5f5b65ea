package taskgraph

// A Launcher begins tasks: a [System], the [Context] of a body, or a [Participant].
type Launcher interface {
	// Task begins a task that runs b, and is held until its Launch.
	Task(b Body) Task
}

var (
	_ Launcher = (*System)(nil)
	_ Launcher = (*Context)(nil)
	_ Launcher = (*Participant)(nil)
)
