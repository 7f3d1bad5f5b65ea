// Package forks keeps the records of forked calls: it knows which are private to the holder of a
// slot, which of these is published next, and which are free. It neither runs nor queues calls.
// README.md has the rules of private calls.
//
// C is the context of a body, and A holds the arguments and results of a call.
package forks
