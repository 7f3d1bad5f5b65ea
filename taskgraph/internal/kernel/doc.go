// Package kernel is the scheduling core of taskgraph: slots with their deques, the shared
// queues, the order in which a slot looks for work, when somebody is woken, and how a slot
// passes from one runner to another. It knows tasks as node numbers and runs nothing itself.
//
// A slot is a right to run: there are as many as workers, and spare ones while bodies block out of
// sight. A runner is a goroutine that holds a slot, or waits for one. Everything shared here is
// lock-free or a word of internal/atomics, so that a model checker sees every step. README.md has
// the overview; each protocol has a page beside its file.
package kernel
