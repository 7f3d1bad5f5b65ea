// Package heddle is the map of a toolkit of lock-free primitives and an engine-style task
// graph, for programs that count microseconds. It exports nothing: import the layer that the
// program needs, and only what lies below it comes along.
//
//   - [github.com/heddle-go/heddle/taskgraph]: tasks with prerequisites and priorities,
//     ParallelFor, waits that never hang for want of workers. Begin here, unless one of the
//     parts below is all that is needed.
//   - [github.com/heddle-go/heddle/namedthread]: a goroutine locked to an OS thread with a
//     name, two queues and a pump. For work that must run on one thread: a window, a
//     graphics context, a C library.
//   - [github.com/heddle-go/heddle/graphevent]: completion events and those who wait for
//     them. For a scheduler of one's own.
//   - [github.com/heddle-go/heddle/sleepevent]: how idle workers drowse, sleep and are woken
//     without losing a wake-up. For a worker pool of one's own.
//   - [github.com/heddle-go/heddle/lockfree]: stacks, queues, priority queues, work-stealing
//     deques and lists that close. For everything else.
//
// A package imports only packages further down this list, and namedthread and graphevent, as
// sleepevent and lockfree, do not know each other. Nothing starts at import and there is no
// global pool: what runs was started by a call, and ends by one.
//
// docs/architecture.md describes how the layers work together, docs/memory-model.md which
// call happens before which, docs/glossary.md the words. The README.md of each package
// holds the proof of its protocol.
package heddle
