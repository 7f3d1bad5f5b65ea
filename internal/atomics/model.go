//go:build modelcheck

package atomics

import (
	"runtime"
	"time"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

// The shared words, as the checker sees them.
type (
	Bool           = modelcheck.Bool
	Int32          = modelcheck.Int32
	Int64          = modelcheck.Int64
	Uint32         = modelcheck.Uint32
	Uint64         = modelcheck.Uint64
	Uintptr        = modelcheck.Uintptr
	Pointer[T any] = modelcheck.Pointer[T]
)

// Go starts f in a new goroutine; in a model it is one more thread of it.
func Go(f func()) { modelcheck.Go(f) }

// Gosched lets others run. In a model it says that the caller waits for another thread.
func Gosched() {
	if modelcheck.Inside() {
		modelcheck.Yield()
		return
	}
	runtime.Gosched()
}

// Pause is Gosched in a model, and nothing elsewhere. n must be at least 1.
func Pause(n uint32) {
	if modelcheck.Inside() {
		modelcheck.Yield()
	}
}

// epoch anchors Now; the difference to it is monotonic.
var epoch = time.Now()

// Now returns nanoseconds on a monotonic clock with an arbitrary origin; in a model they are
// virtual.
func Now() int64 {
	if modelcheck.Inside() {
		return modelcheck.Now()
	}
	return int64(time.Since(epoch))
}

// Modeled reports whether the caller is a thread of a model.
func Modeled() bool { return modelcheck.Inside() }

// FutexWait waits while w holds v, until FutexWake or for limit nanoseconds, negative for no
// limit. Only a thread of a model may call it.
func FutexWait(w *Uint32, v uint32, limit int64) { modelcheck.FutexWait(w, v, limit) }

// FutexWake wakes one thread that waits on w. Only a thread of a model may call it.
func FutexWake(w *Uint32) { modelcheck.FutexWake(w, 1) }

// Chaos delays about one of every atomic operations, drawn from the seed, until it is called with
// 0; see modelcheck.Chaos. It returns true.
func Chaos(seed uint64, every uint32) bool {
	modelcheck.Chaos(seed, every)
	return true
}
