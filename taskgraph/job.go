package taskgraph

// A Job is a body that is a value of the user's own: what a task needs and what it leaves are
// its fields, so that no closure is made. A body made of a pointer allocates nothing; the
// Job may be launched again, and its memory be reused, once its event is complete.
//
// For calls with a few words of arguments [Context.Fork] is faster.
type Job interface {
	// Run is the body. Its error is the task's failure.
	Run(c *Context) error
}

// RunJob returns the body that calls j.Run and fails with its error.
func RunJob(j Job) Body {
	if j == nil {
		panic("taskgraph: RunJob of a nil Job")
	}
	return Body{j}
}
