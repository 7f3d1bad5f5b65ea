//go:build !modelcheck && (!linux || !go1.26 || go1.27 || heddle_nolinkname)

package park

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

const canHandOff = false

// waitWordHandOff is never called where canHandOff is false.
func waitWordHandOff(*atomics.Uint32, time.Duration) {
	panic("park: no way to give the P away")
}
