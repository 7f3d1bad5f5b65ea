// Package taskgraph runs tasks: functions with prerequisites, priorities and an event that
// completes when they have ended, on a fixed set of workers, like the task graphs of game engines.
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
// A [Task] is held until [Task.Launch]. When the last of its prerequisites has completed, a worker
// runs its body, which launches tasks, waits and loops through its [Context].
//
// # Which one do I use
//
//   - A step of a program: [System.Run], or [System.RunGraph]: the calling goroutine takes part.
//     At a beat: [System.SleepUntil] before it, or [System.ExpectWork].
//   - A function now, the result later: [System.Go]; with a value: package future below this one.
//   - Something after something: [System.Task] with [Task.After]; [System.NewEvent] for what no
//     task does; [System.Any] and [System.All] of several; one way of several: [Task.Cases].
//   - The same tasks in the same order again and again: a [Graph].
//   - Many small functions and one wait for all: a [Group].
//   - A loop: [System.ParallelFor]; one that can fail, or with more to say: [System.RunLoop]. Map,
//     Reduce, Scan, Sort, a pipeline: package parallel. What ticks each frame: package tick.
//   - Divide and conquer: [ForkOf]; many calls joined at once: [Forks]; where four integers are
//     enough and nanoseconds count: [Context.Fork].
//   - Part of a task: [Context.Nest]. A task that goes on later: [Context.Again].
//   - One at a time: a [Pipe]. So many at a time: a [Limiter]. Units given back by hand: a
//     [Semaphore]. No more tasks than memory: Options.MaxTasks.
//   - On a certain thread: [Task.On], or [Task.OnID] with a fallback; on one of its own:
//     [Task.OnOwnThread]; once on every one: [System.Broadcast]. What blocks: [Context.Blocking].
//   - Later, or every so often: [System.AfterDelay], [System.Every].
//   - Why it does not go on: [System.Stuck], Options.OnStuck. Tests in every order:
//     [Deterministic].
//
// The same thing has one name wherever it is called:
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
// A body waits by [Context.Wait], or gives its [Context] as ctx: what it waits for is run first, if
// that has not started, and then its worker does other tasks. No wait by a Context hangs for want
// of workers, with one worker and any depth of nesting. A wait returns the failure of what it is
// for, or the cause of its context's end, or ErrClosed when the system gives up or is shut down.
//
// # Failure
//
// A body fails by returning an error, by panicking or by runtime.Goexit: then waits return the
// error, a *graphevent.PanicError or graphevent.ErrGoexit, and dependents are skipped, unless they
// run [Task.Always]. A failure that nobody looked at is returned by [System.Shutdown]. Workers and
// threads go on whatever bodies do; of Goexit in waits see Options.IsolateWaits.
//
// What is misused panics: a nil function, a zero [Body], a negative number, a thread or gate of
// another system.
package taskgraph
