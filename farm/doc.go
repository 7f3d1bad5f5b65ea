// Package farm runs jobs of a task graph elsewhere: in this process when that is cheaper, or in
// worker processes on this and other machines, which it reaches through NATS JetStream.
//
//	jobs := farm.NewJobs()
//	jobs.Register("sum", "1", sum)
//	f, err := farm.Open(ctx, farm.Options{Jobs: jobs})
//	...
//	r := farm.Call(sys, f, "sum", farm.Bytes(data), farm.CallOptions{})
//	after := sys.Task(taskgraph.Do(use)).After(r.Event()).Launch()
//
// A job is a named and versioned function of bytes to bytes. [Call] gives a task graph event and
// the result, which is kept by the hash of the job, its version and its input: the same work is not
// queued twice, and its result counts once, whoever asks for it and however often it was run.
// README.md has the protocol and the argument.
package farm
