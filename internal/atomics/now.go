//go:build !modelcheck && !heddle_faults

package atomics

import "time"

// epoch anchors Now; the difference to it is monotonic.
var epoch = time.Now()

// Now returns nanoseconds on a monotonic clock with an arbitrary origin.
func Now() int64 { return int64(time.Since(epoch)) }
