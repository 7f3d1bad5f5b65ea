// Package namedthread runs work on named OS threads. It serves code that must stay on one thread,
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
// A [Registry] holds the threads of a program. [Registry.Start] starts a new thread, whose OS
// thread ends with it. [Registry.Attach] turns the calling goroutine into a named thread, so that
// main can be the game thread. Either way the goroutine stays on one OS thread, and the operating
// system shows the name.
//
// A named thread runs what other goroutines post to it. Each [Thread] has two queues, main and
// local, with two priorities each. The thread works through them in pumps. A pump runs until the
// queues are idle, a token is returned, a condition holds, a context ends, the thread quits, or a
// time has passed. Any goroutine may post a [Runnable]. If Post accepts it, the thread runs it, or
// cancels it if the thread quits first: see [Canceler].
//
// Code that a thread runs may wait for something with [Thread.Wait]. Wait is not a pump: it leaves
// work that is posted to the main queue where it is, instead of running it on top of the waiter.
//
// An [ID] packs a request for a thread, a queue and a priority into one word. It has a text form,
// which [ParseID] reads. [Current] returns the named thread that the caller runs on, and
// [Thread.MustBeCurrent] panics if the caller runs on another one.
package namedthread
