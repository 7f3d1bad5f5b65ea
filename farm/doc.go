// Package farm runs jobs of a task graph on other machines, if that is worth it.
//
//	package main
//
//	import "bytes"
//	import "context"
//	import "fmt"
//	import "log"
//	import "github.com/heddle-go/heddle/farm"
//	import "github.com/heddle-go/heddle/taskgraph"
//
//	func main() {
//		ctx, s, jobs := context.Background(), taskgraph.Start(taskgraph.Options{}), farm.NewJobs()
//		caps := func(_ context.Context, b []byte) ([]byte, error) { return bytes.ToUpper(b), nil }
//		jobs.RegisterBytes("caps", "1", caps)
//		f, err := farm.Open(ctx, farm.Options{Jobs: jobs})
//		if err != nil {
//			log.Fatal(err)
//		}
//		b, err := farm.Call(s, f, "caps", farm.Bytes([]byte("weft")), farm.CallOptions{}).Get(ctx)
//		fmt.Println(string(b), err, f.Close(), s.Shutdown(ctx))
//	}
//
// It prints:
//
//	WEFT <nil> <nil> <nil>
//
// A job is a function from bytes to bytes, with a name and a version. It runs in this process if
// that is cheaper. Otherwise it runs in a worker process on this or another machine. Processes
// reach each other through a NATS server with JetStream. If Options.URL is empty, [Open] starts a
// server in this process. [WorkerMain] and [Farm.Work] turn a process into a worker.
//
// [Call] returns at once. Its [Result] has an event of the task graph, so tasks can run after it:
//
//	r := farm.Call(sys, f, "caps", farm.Bytes(data), farm.CallOptions{})
//	after := sys.Task(taskgraph.Do(use)).After(r.Event()).Launch()
//
// The farm stores the result under the hash of the job, its version and its input. So the same work
// is not queued twice. Its result counts once, however many callers ask for it and however often
// the job ran. README.md has the protocol and the argument that it is correct.
package farm
