// Package taskgraph runs tasks: functions with prerequisites, priorities and an event that
// completes when they have ended, on a fixed set of workers, in the manner of the task
// graphs of game engines.
//
//	sys := taskgraph.Start(taskgraph.Options{})
//	defer sys.Shutdown(ctx)
//
//	pose := sys.Go(animate)
//	seen := sys.Go(cull)
//	skin := sys.Task(taskgraph.Try(skinMeshes)).After(pose).Launch()
//	draw := sys.Task(taskgraph.Do(drawFrame)).After(skin, seen).Launch()
//	err := sys.WaitUntilTasksComplete(ctx, draw)
//
// A [Task] is built under a set-up lock and released by [Task.Launch], which returns its
// [Event]. When the last of its prerequisites has completed, a worker runs its body. A body
// of type func(*Context) can launch tasks, wait for events, delay its own completion and
// run loops in parallel through its [Context].
//
// # Which one do I use
//
//   - A step of a program, from its beginning to its end: [System.Run], and [System.RunGraph] for one that is a
//     graph: the calling goroutine takes part, and nobody has to be woken at either end.
//   - A step at a beat: [System.SleepUntil] before it, or [System.ExpectWork] where something else keeps the time.
//   - A function now, the result later: [System.Go], or package future below this one for a
//     value.
//   - Something after something: [System.Task] with [Task.After]; [System.NewEvent] for what
//     no task does; [System.Any] and [System.All] of several.
//   - The same tasks in the same order again and again, a frame, say: a [Graph]. Its tasks have no
//     events of their own and cost a fraction. What comes after what is said by [GraphTask.After], or
//     follows from what each reads and writes: [GraphTask.Reads].
//   - Many small functions and one wait for all: a [Group].
//   - A loop: [System.ParallelFor]; one that can fail, or with more to say: [System.RunLoop]. Map, Reduce,
//     Scan, Sort, a pipeline: package parallel below this one.
//   - Divide and conquer: [ForkOf]; many calls that are joined at once: [Forks]; where four integers are
//     enough and nanoseconds count: [Context.Fork].
//   - Part of a task: [Context.Nest]. A task that goes on later: [Context.Again].
//   - One at a time: a [Pipe]. So many at a time: a [Limiter]. Units given back by hand: a
//     [Semaphore].
//   - On a certain thread: [Task.On], or [Task.OnID] with a fallback. On a thread of its own: [Task.OnOwnThread]. Something that
//     blocks: [Context.Blocking].
//   - Later, or every so often: [System.AfterDelay], [System.Every].
//   - One way of several: [Task.Cases].
//   - No more tasks than memory: Options.MaxTasks.
//   - Once on every worker and thread: [System.Broadcast].
//   - Why it does not go on: [System.Stuck]; by itself: Options.OnStuck.
//
// The same thing has one name wherever it is called:
//
//	               outside                      in a body                    as a body, also of a graph
//	a function     s.Go(f)                      c.Go(f), c.Nest(Do(f))       Do(f), Try(f), Run(f)
//	a loop         s.ParallelFor(n, 0, f)       c.ParallelFor(n, 0, f)       ParallelFor(n, 0, f)
//	a Loop         s.RunLoop(l)                 c.RunLoop(l)                 RunLoop(&l)
//	a loop inside  p.ParallelFor(n, 0, f)       p.ParallelFor(n, 0, f)
//	a Graph        s.LaunchGraph(g)             c.LaunchGraph(g)
//	a step         s.Run(ctx, b)                s.Run(c, b)
//	a run          s.RunGraph(ctx, g)           s.RunGraph(c, g)
//	a Group        g.Go(s, f)                   g.Go(c, f)
//	two halves                                  ForkOf(c, f, v)
//	many calls                                  kids.Fork(c, f, v)
//	a wait         s.WaitUntilTasksComplete     c.Wait(e)                    Task.After(e)
//
// # Waiting
//
// A body calls [Context.Wait], or [Context.WaitUntilTasksComplete] if another context is to end the
// wait: it first runs what it waits for, if that has not started, and otherwise gives its worker
// away for the time of the wait. Elsewhere it is [System.WaitUntilTasksComplete]. Neither hangs for
// want of workers, with one worker and any depth of nesting.
//
// # Tests
//
// With [Options].Deterministic a seed decides the order of everything, and decides the same each time: a bug
// that depends on the order is found by trying seeds, and replayed. See [Deterministic].
//
// # Failure
//
// A body fails by returning an error, by panicking or by runtime.Goexit. Then its dependents
// are skipped, unless they run [Task.Always], and waits return the failure. A failure that
// nobody looked at is returned by [System.Shutdown]. A worker or thread goes on whatever its
// bodies do; what Goexit does to a body that waits, [Options].IsolateWaits says.
package taskgraph
