//go:build !modelcheck && (!linux || !gc || heddle_nolinkname)

package park

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

func canHandOff() bool { return false }

// waitWordHandOff is never called, since canHandOff is false.
func waitWordHandOff(*atomics.Uint32, *berth, time.Duration) {
	panic("park: no way to give the P away")
}
