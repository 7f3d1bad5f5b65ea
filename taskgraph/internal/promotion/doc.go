// Package promotion has the priority of a task as one that others may raise until the task begins,
// and the second entries of tasks that were queued before. README.md has the protocol and its
// proof.
package promotion
