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
// A job is a named and versioned function from bytes to bytes. It runs in this process if that is
// cheaper. Otherwise it runs in a worker process on this or another machine. Processes reach each
// other through a server of NATS JetStream. If Options.URL is empty, [Open] starts a server in
// this process. [WorkerMain] and [Farm.Work] make a process a worker.
//
// [Call] returns at once. Its [Result] has an event of the task graph, so tasks can run after it:
//
//	r := farm.Call(sys, f, "caps", farm.Bytes(data), farm.CallOptions{})
//	after := sys.Task(taskgraph.Do(use)).After(r.Event()).Launch()
//
// The farm keeps the result under the hash of the job, its version and its input. So the same work
// is not queued twice, and its result counts once, whoever asks for it and however often it was
// run. README.md has the protocol and the argument.
package farm
