//go:build !modelcheck

package atomics

import (
	"runtime"
	"sync/atomic"
	"time"
)

// The shared words. They are aliases, not wrappers: a wrapper costs instructions in generic
// code, an alias compiles to the same instructions as the type itself.
type (
	Bool           = atomic.Bool
	Int32          = atomic.Int32
	Int64          = atomic.Int64
	Uint32         = atomic.Uint32
	Uint64         = atomic.Uint64
	Uintptr        = atomic.Uintptr
	Pointer[T any] = atomic.Pointer[T]
)

// Go starts f in a new goroutine.
func Go(f func()) { go f() }

// Gosched lets other goroutines run. A goroutine locked to an OS thread must not call it:
// there it is slow enough to be a bug.
func Gosched() { runtime.Gosched() }

// epoch anchors Now; the difference to it is monotonic.
var epoch = time.Now()

// Modeled reports whether the caller is a thread of a model of the checker, which a normal
// build has none of.
func Modeled() bool { return false }

// FutexWait is for threads of a model.
func FutexWait(*Uint32, uint32, int64) { panic("atomics: FutexWait outside a model") }

// FutexWake is for threads of a model.
func FutexWake(*Uint32) { panic("atomics: FutexWake outside a model") }

// Now returns nanoseconds on a monotonic clock with an arbitrary origin.
func Now() int64 { return int64(time.Since(epoch)) }

// Chaos returns false: the words of a normal build cannot be delayed.
func Chaos(uint64, uint32) bool { return false }
