package lockfree

import "github.com/heddle-go/heddle/internal/atomics"

// To learn whether a ring is full or empty a side reads the other side's position, and so takes the
// cache line that the other side writes. If a side that has caught up does so for each single
// value, both mostly wait for that line. So it is courteous: it gives the other side a moment to
// get ahead, and then finds several values or places at once.

// courteous is for many callers on one side: it pauses, and returns true, if the side has moved to
// position pos since the last call. Repeated calls in vain do not pause. If the side has moved by
// more than one value, more are likely to follow, so a longer pause pays.
func courteous(seen *atomics.Uint64, pos uint64) bool {
	if courtesy == 0 {
		return false
	}
	was := seen.Load()
	if was == pos {
		return false
	}
	seen.Store(pos)
	if pos-was == 1 {
		atomics.Pause(courtesy)
	} else {
		atomics.Pause(streamCourtesy)
	}
	return true
}

// A single caller pauses before each look at the other side as long as that pays: each side of a
// structure for two keeps a [cacheline.Courtesy].
const (
	paid   = 4    // a pause that yields so many values or places pays
	rarely = 1023 // at most so many looks without a pause between two pauses
)
