// Package future runs tasks that return a value, for users of package taskgraph.
//
//	package main
//
//	import "context"
//	import "fmt"
//	import "strconv"
//	import "github.com/heddle-go/heddle/taskgraph"
//	import "github.com/heddle-go/heddle/taskgraph/future"
//
//	func main() {
//		sys := taskgraph.Start(taskgraph.Options{})
//		width := future.Go(sys, func(*taskgraph.Context) (int, error) {
//			return strconv.Atoi("12")
//		})
//		area := future.Go(sys, func(c *taskgraph.Context) (int, error) {
//			w, err := width.Get(c) // meanwhile the worker runs other tasks
//			return w * w, err
//		})
//		fmt.Println(area.Get(context.Background()))
//		fmt.Println(sys.Shutdown(context.Background()))
//	}
//
// It prints:
//
//	144 <nil>
//	<nil>
//
// [Go] launches a task and returns its [Future]. [Task] returns the task as well, not yet launched,
// so that it can have prerequisites or run on a certain thread. [Future.Get] waits for the value. A
// body that passes its Context to Get does not block its worker. Get returns the error of the task:
// if "12" were "x", both width and area would fail with the error of strconv.Atoi.
package future
