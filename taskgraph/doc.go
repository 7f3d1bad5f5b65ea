// Package taskgraph runs tasks with prerequisites, for games, audio and solvers.
//
//	package main
//
//	import "context"
//	import "fmt"
//	import "log"
//	import "strings"
//	import "github.com/heddle-go/heddle/taskgraph"
//
//	func main() {
//		const text = "warp and weft\nreed and heddle\n"
//		sys := taskgraph.Start(taskgraph.Options{})
//		var lines, words int
//		a := sys.Go(func() { lines = strings.Count(text, "\n") })
//		b := sys.Go(func() { words = len(strings.Fields(text)) })
//		report := func() { fmt.Println(lines, "lines,", words, "words") }
//		sys.Task(taskgraph.Do(report)).After(a, b).Launch()
//		if err := sys.Shutdown(context.Background()); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// It prints:
//
//	2 lines, 6 words
//
// Tasks run on a set of workers, as in the task graphs of game engines. A task is a function, its
// body, with prerequisites, a priority and an event that completes when the task has ended. A
// [Task] is held until [Task.Launch]. When the last of its prerequisites has completed, a worker
// runs its body. A body can take a [Context], through which it launches tasks, waits and runs
// loops.
//
// # Which call to use
//
//   - A step of a program, such as a frame: [System.Run] or [System.RunGraph]. The calling
//     goroutine takes part. If you know when a step will begin, call [System.SleepUntil] or
//     [System.ExpectWork] before it.
//   - A function to start now and wait for later: [System.Go]. If it returns a value: package
//     future.
//   - One task after another: [System.Task] with [Task.After]. [System.NewEvent] makes an event
//     that no task completes. [System.Any] and [System.All] combine events. [Task.Cases] lets a
//     task choose what runs after it.
//   - The same tasks in the same order again and again: a [Graph].
//   - Many small functions and one wait for all of them: a [Group].
//   - A loop: [System.ParallelFor]. If the loop can fail or needs options: [System.RunLoop].
//     Package parallel has Map, Reduce, Scan, Sort and pipelines. Package tick runs functions each
//     frame.
//   - Divide and conquer: [ForkOf]. To join many calls at once: [Forks]. [Context.Fork] is the
//     fastest form, for calls that need no more than four integers.
//   - A task that is part of another: [Context.Nest]. A task that runs in several rounds:
//     [Context.Again].
//   - A limit on what runs at once: a [Pipe] runs one task after the other, a [Limiter] runs at
//     most n at once, and a [Semaphore] has units that the program gives back. Options.MaxTasks
//     bounds the memory for tasks.
//   - A certain thread: [Task.On], or [Task.OnID] with a fallback. [Task.OnOwnThread] makes a new
//     thread for the task. [System.Broadcast] runs a function once on each worker and named
//     thread.
//   - A call that blocks: [Context.Blocking].
//   - A delay or a period: [System.AfterDelay], [System.Every].
//   - To find out why tasks do not complete: [System.Stuck], Options.OnStuck. To test a program in
//     many orders, each of which can be repeated: [Deterministic].
//
// An operation has one name wherever you call it. Here s is a [System], c the [Context] of a body,
// p the [Participant] of an enclosing loop, f a function, b a [Body], e an [Event], and v a value:
//
//	               outside                   in a body                  as a body, also of a graph
//	a function     s.Go(f)                   c.Go(f), c.Nest(Do(f))     Do(f), Try(f), Run(f)
//	a loop         s.ParallelFor(n, 0, f)    c.ParallelFor(n, 0, f)     ParallelFor(n, 0, f)
//	a Loop         s.RunLoop(l)              c.RunLoop(l)               RunLoop(&l)
//	a loop inside  p.ParallelFor(n, 0, f)    p.ParallelFor(n, 0, f)
//	a Graph        s.LaunchGraph(g)          c.LaunchGraph(g)
//	a step         s.Run(ctx, b)             s.Run(c, b)
//	a run          s.RunGraph(ctx, g)        s.RunGraph(c, g)
//	a Group        g.Go(s, f)                g.Go(c, f)
//	two halves                               ForkOf(c, f, v)
//	many calls                               kids.Fork(c, f, v)
//	a wait         s.WaitUntilTasksComplete  c.Wait(e)                  Task.After(e)
//	with a pump    s.PumpUntilTasksComplete
//
// # Waiting
//
// A body waits with [Context.Wait], or passes its [Context] as ctx to another wait. The wait first
// runs the awaited tasks that have not started. Then the worker runs other tasks until the wait
// ends. A wait through a Context never hangs for want of workers, even with one worker and at any
// depth of nesting. A wait returns the failure of what it waits for, the cause of the end of its
// context, or ErrClosed if the system abandons the task or is shut down.
//
// # Failure
//
// A body fails if it returns an error, panics or calls runtime.Goexit. Waits for the task then
// return the error, a *graphevent.PanicError or graphevent.ErrGoexit. Tasks that depend on it are
// skipped, except those with [Task.Always]. [System.Shutdown] returns the failures that the program
// has not seen. A failure does not end a worker or a named thread. For Goexit inside a wait, see
// Options.IsolateWaits.
//
// Misuse panics: a nil function, a zero [Body], a negative number, or a thread, [Pipe], [Limiter]
// or [Semaphore] of another system.
package taskgraph
