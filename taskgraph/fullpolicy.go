package taskgraph

// A FullPolicy says what becomes of a launch beyond Options.MaxTasks.
type FullPolicy uint8

// The policies.
const (
	// FullError refuses the task: its event has failed with graphevent.ErrFull.
	FullError FullPolicy = iota
	// FullInline runs the task at once, in the call of Launch and on its goroutine, which ends if
	// the task calls runtime.Goexit. A task that cannot run there and then, because of
	// prerequisites, a thread or a gate, is launched in spite of the bound, and counts; so is one
	// beyond 256 bodies on one stack, or 64 launches at a time that do not come through a Context.
	FullInline
	// FullBlock blocks until there is room, in the call that begins the task; a body that launches
	// through its Context, and a named thread, have FullInline instead. What the tasks that fill
	// the system wait for must not come from a goroutine that blocks.
	FullBlock
)
