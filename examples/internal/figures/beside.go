package figures

import (
	"fmt"
	"time"
)

// Noise is the share by which two medians may differ and still count as level.
const Noise = 0.03

// Beside compares a time with another program's, as a predicate: "was 1.51 times as fast as one
// thread", "was level with one thread (0.99 times as fast)", or "was slower than one thread: it
// took 1.20 times as long". If either time is unknown, so is the result.
func Beside(ours, others time.Duration, name string) string {
	switch r := Ratio(others, ours); {
	case ours <= 0 || others <= 0:
		return "cannot be compared with " + name
	case r > 1+Noise:
		return fmt.Sprintf("was %.2f times as fast as %s", r, name)
	case Slower(ours, others):
		return fmt.Sprintf("was slower than %s: it took %.2f times as long", name,
			Ratio(ours, others))
	default:
		return fmt.Sprintf("was level with %s (%.2f times as fast)", name, r)
	}
}

// Slower reports whether a time is longer than another by more than Noise.
func Slower(ours, others time.Duration) bool {
	return others > 0 && float64(ours) > float64(others)*(1+Noise)
}
