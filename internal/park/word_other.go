//go:build !linux && !windows

package park

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

const hasWordWait = false

// waitWord is never called where hasWordWait is false.
func waitWord(*atomics.Uint32, time.Duration) {
	panic("park: no wait on a word")
}

// wakeWord is never called where hasWordWait is false.
func wakeWord(*atomics.Uint32) {
	panic("park: no wait on a word")
}
