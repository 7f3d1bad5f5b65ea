// Package frame plays the frame of the engine as tasks and named threads, one step after the other,
// and with plain goroutines, and measures all three. The commands frameloop and frameloop-gltf are
// this package with a scene.
//
// What to look for in the source:
//
//   - The frame is a table, in steps.go: the steps, over which objects each runs, and after which
//     steps. It is checked when it is made, and all ways to play the frame read it.
//
//   - Each step is a tick of package tick, in play_graph.go: a task that is made once, held at the
//     start of each frame and launched with its group. Steps over many objects are loops that the
//     workers share. After the first frames nothing is allocated.
//
//   - Objects are of four classes: inputs to the simulation, simulated, dependent on it, and
//     unrelated. Unrelated objects are updated while the simulation runs. An object that depends on
//     a crate is updated when the island of that crate is solved, by the worker that has solved it,
//     without waiting for other islands: see feed in plan.go and in task.go. So nothing is late by
//     a frame, as it is in the usual order (-physics lagged), and no object waits for more than it
//     needs, as in the textbook's order (-physics serial) and between barriers. The file
//     overlap.go counts how much of this frames make use of.
//
//   - The dependents of an island run as soon as it is solved, hot in the caches of the worker. The
//     task of the loop over islands does nothing else, so the caller of the loop can run them as
//     well (stepTask.do). Each body also has a task, almost two thousand a frame in the quarry: see
//     bodies in steps.go. These tasks are launched before their prerequisites are complete. A task
//     that finds its body in the view puts itself off until everything that could hide the body is
//     drawn: objectTask.run.
//
//   - The main thread is the game thread. The render thread draws the frame before, from a context
//     that is not written any more, with the workers' help. Both meet once a frame. The audio
//     thread mixes sound, likewise with help. The loader thread only reads files. Its results come
//     to life on the game thread, which runs the tasks that were posted to it at the end of a
//     frame: see loader in services.go. So all of these threads launch tasks, and bodies on the
//     workers do too. If a file is late, the task that needs it puts itself off until it arrives.
//
//   - With -dir, files are read as the camera approaches: see library.go, and package store. The
//     worker that finds a file missing requests it, in the middle of a frame.
//
//   - Workers compute the animation. The game thread completes it before the tick of the animation
//     counts as complete: DontCompleteUntil.
//
//   - At intervals all threads stop and mark the reachable objects, with a set for each participant
//     of a loop. Objects that are in no set are swept. Each mark is checked against a serial one.
//
//   - A panic in a step ends its frame, with the name of the step. With -keep-going the next frame
//     is played.
//
//   - With -http one order is played at a steady pace, and a page shows the system at work: see
//     serve.go. For -trace, -lanes and -profile the system records itself, with a mark at both ends
//     of each frame: see film.go.
//
// The ways take turns of a few frames. With -fps frames begin at equal intervals, and missed
// deadlines are counted. The sentences that close the report are made in conclude.go.
package frame
