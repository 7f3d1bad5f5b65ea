// Package namedthread runs work on named OS threads. It is for code that must stay on one thread,
// such as a GUI, OpenGL or audio.
//
//	package main
//
//	import "fmt"
//	import "log"
//	import "github.com/heddle-go/heddle/namedthread"
//
//	func main() {
//		threads := namedthread.NewRegistry()
//		render, err := threads.Start("Render", namedthread.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		draw := func() { fmt.Println(namedthread.Current()); render.Quit() }
//		err = threads.Post(render.ID(), namedthread.Func(draw), 0)
//		if err != nil {
//			log.Fatal(err)
//		}
//		<-render.Done()
//	}
//
// It prints:
//
//	namedthread "Render" <nil>
//
// A [Registry] holds the threads of a program. [Registry.Start] starts a new thread on an OS thread
// of its own. [Registry.Attach] turns the calling goroutine into a named thread, so that main can
// be the game thread. Either way the goroutine stays on one OS thread, and the operating system
// shows the name.
//
// A named thread runs the work that goroutines post to it. Each [Thread] has two queues, main and
// local, with two priorities each. A pump is a call, on the thread, that runs the work of a queue.
// There are pumps that return when the queue is empty, when a [Token] is returned to the thread,
// when a condition holds, when a context ends, when a time has passed, or when the thread quits.
// Any goroutine may post a [Runnable]. If Post accepts it, the thread runs it, or cancels it if the
// thread quits first: see [Canceler].
//
// Work on a thread may wait for a condition with [Thread.Wait]. Wait is not a pump: work that is
// posted to the main queue stays there, and does not run in the middle of the work that waits.
//
// An [ID] names a thread, a queue and a priority in one word. It has a text form, which [ParseID]
// reads. [Current] returns the named thread that the caller runs on. [Thread.MustBeCurrent] panics
// if the caller runs elsewhere.
package namedthread
