// Package forks keeps the records of forked calls: which are private to the holder of a slot, which
// of them others are shown next, and which are free. It runs no call and queues none; it says only
// which one is next. README.md has the rules of the private ones.
//
// C is what a body runs with, and A what a call begins with and leaves.
package forks
