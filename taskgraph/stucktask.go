package taskgraph

import "time"

// A StuckTask is a task, an event or a goroutine in a [StuckReport].
type StuckTask struct {
	Name  string // as in `task "draw"`, `event "skin"`, "thread Game", "a goroutine"
	State string // unsubmitted, untriggered, waiting, ready or executing

	// Site is where it was made, as file:line, if Options.Sites is set.
	Site string

	// WaitsFor names the incomplete events that it depends on, up to sixteen, or what else it
	// waits for.
	WaitsFor []string

	// Why says what keeps it from going on that is no other task: that nobody has triggered it,
	// that it was never launched, that its thread does not run it.
	Why string

	// Age is how long the body has been running, if bodies are watched: Options.Sites or
	// Options.SlowAfter. Stack is where it is, for one that is on a cycle or has been reported
	// for its age.
	Age   time.Duration
	Stack string

	out    []int // for each name of WaitsFor its index in Tasks, or -1
	more   int   // further events, not named in WaitsFor
	others int   // how many of the first names of WaitsFor are not events
	any    bool  // one of the events is enough
	stuck  bool
	cyclic bool
	root   bool
}
