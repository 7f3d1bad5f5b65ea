//go:build heddle_faults && !modelcheck

package atomics

import (
	"sync/atomic"
	"time"
)

// epoch anchors Now; the difference to it is monotonic.
var epoch = time.Now()

// wrong is what makes the clock of a test wrong, or nil.
var wrong atomic.Pointer[func(int64) int64]

// Now returns nanoseconds on a monotonic clock with an arbitrary origin, or what the function given
// to SetClock makes of them.
func Now() int64 {
	now := int64(time.Since(epoch))
	if f := wrong.Load(); f != nil {
		return (*f)(now)
	}
	return now
}

// SetClock makes Now return f of the time; nil ends that. Like the true time, what f returns must
// not decrease. Any goroutine may call f.
func SetClock(f func(now int64) int64) {
	if f == nil {
		wrong.Store(nil)
		return
	}
	wrong.Store(&f)
}
