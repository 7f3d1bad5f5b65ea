// Package stress tests Heddle from outside, as a user would: random programs against
// sequential models of what each part promises. What it tests with can be used in other
// tests as well: [DrawDAG] draws graphs of every shape for rapid, and a [Witness] finds tasks
// that run twice, never, too early or on the wrong thread. Nothing that ships imports it.
//
// A failing program is printed in its shortest form, with the flag that runs it again.
package stress
