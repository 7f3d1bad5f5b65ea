package taskgraph

// A FullPolicy says what becomes of a launch when a system has Options.MaxTasks tasks.
type FullPolicy uint8

// The policies.
const (
	// FullError refuses the task: its event has failed with graphevent.ErrFull.
	FullError FullPolicy = iota

	// FullInline runs the task at once, in the call of Launch, on the goroutine that launches
	// it. A task that cannot run there and then, because its prerequisites are incomplete or
	// it belongs to a thread or a gate, is launched in spite of the bound, and counts; so is one
	// beyond 256 bodies on one stack, or 64 launches at a time that do not come through a Context.
	// One that calls runtime.Goexit ends that goroutine too.
	FullInline

	// FullBlock blocks until there is room, in the call that begins the task. A body that
	// launches through its Context, and a named thread, do not block: there it is FullInline.
	// Who blocks cannot begin what the others wait for: tasks that fill the system and wait
	// for an event of this goroutine wait for ever.
	FullBlock
)
