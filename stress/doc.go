// Package stress tests Heddle from outside, as a user would: random programs against
// sequential models of what each part promises. What it tests with is for the tests of its users
// as well. Nothing that ships imports it, and only tests should. Which one to use:
//
//   - A property of any graph of tasks: [Plans] generates graphs with names and priorities for
//     rapid; [DrawDAG] and [Shape] generate bare graphs, of every shape or of one.
//   - Whether each task has run once, in order, where it belongs: [Witness].
//   - A test that hangs, or leaves goroutines behind: package watch.
//   - A container or an event of your own, under real concurrency: package history writes down
//     what the calls returned, and says whether any order explains it.
//   - The same in every order of its atomic steps: package modelcheck.
//   - What is promised when the clock, the kernel or memory fail: package faults.
//   - The whole of it, for hours: the command soak.
//
// A failing program is printed in its shortest form, with the flag that runs it again.
package stress
