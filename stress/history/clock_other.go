//go:build !windows

package history

import "github.com/heddle-go/heddle/internal/atomics"

// now returns what calls are dated with: nanoseconds on a monotonic clock that tells apart what is
// microseconds apart, in a model virtual ones.
func now() int64 { return atomics.Now() }
