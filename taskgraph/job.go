package taskgraph

// A Job is a body that is a value of the user's own: its fields are what the task needs and what it
// leaves, in place of a closure. A pointer as a Job allocates nothing. It may be launched again
// once its event is complete.
type Job interface {
	// Run is the body. Its error is the task's failure.
	Run(c *Context) error
}

// RunJob returns the body that calls j.Run and fails with its error.
func RunJob(j Job) Body {
	must(j != nil, "RunJob of a nil Job")
	return Body{j}
}
