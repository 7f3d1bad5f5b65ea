// Package sleepevent decides how a worker that finds nothing to do waits, and how it is
// woken when there is something again.
//
// A [Group] serves a pool of workers that look for work in queues of their own making. A worker
// that found nothing calls [Group.Idle]: it is published as idle, looks once more, drowses for a
// while on a word in memory, and then sleeps in the kernel, or in the Go scheduler where that is
// chosen or many sleep already, with no time limit and no periodic wake-up. Whoever adds work calls
// [Group.Wake], which costs two loads while nobody is idle or somebody is looking already, and else
// wakes one worker: a drowsing one by writing that word, a sleeping one by a system call.
//
// A [Signal] is the same for one waiter: an auto-reset event.
//
// README.md beside the code holds the protocol and the argument that no wake-up is lost.
package sleepevent
