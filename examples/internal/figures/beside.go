package figures

import (
	"time"

	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// Noise is the share by which two medians may differ and still count as level.
const Noise = verdict.Noise

// Beside compares a time with another program's, as a predicate: see [verdict.Beside].
func Beside(ours, others time.Duration, name string) string {
	return verdict.Beside(float64(ours), float64(others), name)
}

// Slower reports whether a time is longer than another by more than Noise.
func Slower(ours, others time.Duration) bool {
	return others > 0 && float64(ours) > float64(others)*(1+Noise)
}
