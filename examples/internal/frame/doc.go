// Package frame plays the frame of the engine as tasks and named threads, one step after the other,
// and with plain goroutines, and measures all three. The commands frameloop and frameloop-gltf are
// this package with a scene.
//
// What to look for in the source:
//
//   - The frame is a table, in steps.go: what there is to do, over which objects, and after what.
//     It is checked when it is made, and all ways to play it read it.
//
//   - Each step is a tick of package tick, in play_graph.go: a task that is made once, held at the
//     start of each frame and launched with its group. Steps over many objects are loops that the
//     workers share. After the first frames nothing is allocated.
//
//   - Objects are of four classes: what the simulation reads, what it moves, what hangs on that,
//     and all others. The others are updated while the simulation runs. What hangs on a crate is
//     updated when the island of crates is solved that it belongs to, by the worker that has solved
//     it, without waiting for other islands: see feed in plan.go and in task.go. So nothing
//     is late by a frame, as it is in the usual order (-physics lagged), and nobody waits for what
//     it does not need, as in the textbook's (-physics serial) and between barriers. What of this
//     frames make use of is counted in overlap.go.
//
//   - What an island feeds runs on when that is solved, hot in the caches of the worker: the loop
//     over islands is all that a task of its own does, so also its caller turns aside
//     (stepTask.do). Each body has such a task as well, almost two thousand a frame in the quarry,
//     see bodies in steps.go. They are launched while what they come after is not complete yet; and
//     who finds its body in the view gives itself up until what could hide that is drawn:
//     objectTask.run.
//
//   - The main thread is the game thread. The render thread draws the frame before, from a context
//     that nobody writes any more, with the workers' help; both meet once a frame. Sound is mixed
//     on the audio thread, likewise with help. The loader thread reads files and nothing else; what
//     it has read comes to life on the game thread, which runs what was posted to it at the end of
//     a frame: see loader in services.go. So tasks are launched by all of these threads, and by
//     bodies on the workers. If a file is late, the task that needs it puts itself off until it has
//     come.
//
//   - With -dir, files are read as the camera comes near: see library.go, and package store.
//     Whichever worker finds that asks for one, in the middle of a frame.
//
//   - Animation is computed by workers and completed on the game thread, before its tick counts as
//     complete: DontCompleteUntil.
//
//   - Every so many frames all stop and mark what can be reached, with a set for each participant
//     of a loop. What is not in them is swept. Each mark is checked against a serial one.
//
//   - A panic in a step ends its frame, with the name of the step. With -keep-going the next frame
//     is played.
//
//   - With -http one order is played at a steady pace, and a page shows what the system does
//     meanwhile: see serve.go. -trace, -lanes and -profile are of what the system has recorded
//     itself, with a mark at both ends of each frame: see film.go.
//
// The ways take turns, a few frames each. With -fps frames begin at equal times, and missed
// deadlines are counted.
package frame
