package turns

// Package namedthread sets these, which are for package taskgraph: threads are of its own types,
// and nobody else has a use for them.
var (
	// JoinThread makes a *namedthread.Thread take turns. The thread must be the caller, or
	// serve what is posted to it. One that has quit is left alone.
	JoinThread func(thread any, s *Scheduler) error

	// LeaveThread ends that, by the time that everything that can go on has.
	LeaveThread func(thread any)
)
