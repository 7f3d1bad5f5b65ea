//go:build modelcheck

package park

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

func canHandOff() bool { return false }

// waitWordHandOff is how a thread of a model waits.
func waitWordHandOff(w *atomics.Uint32, _ *berth, limit time.Duration) {
	atomics.FutexWait(w, inKernel, int64(limit))
}

func (*berth) steer() {}
