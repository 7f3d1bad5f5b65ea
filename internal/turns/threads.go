package turns

// Package namedthread sets these for package taskgraph. They are here because Thread is a type of
// namedthread and nobody else should use them.
var (
	// JoinThread makes a *namedthread.Thread take turns. The thread must be the caller, or run what
	// is posted to it. It does nothing to a thread that has quit.
	JoinThread func(thread any, s *Scheduler) error

	// LeaveThread ends that, at the latest when everything that can run has run.
	LeaveThread func(thread any)
)
