//go:build !modelcheck

package atomics

import "runtime"

// Go starts f in a new goroutine.
func Go(f func()) { go f() }

// Gosched lets other goroutines run. A goroutine locked to an OS thread must not call it:
// there it is slow enough to be a bug.
func Gosched() { runtime.Gosched() }

// Modeled reports whether the caller is a thread of a model of the checker, which a normal
// build has none of.
func Modeled() bool { return false }

// FutexWait is for threads of a model.
func FutexWait(*Uint32, uint32, int64) { panic("atomics: FutexWait outside a model") }

// FutexWake is for threads of a model.
func FutexWake(*Uint32) { panic("atomics: FutexWake outside a model") }

// Chaos returns false: the words of a normal build cannot be delayed.
func Chaos(uint64, uint32) bool { return false }
