package kernel

// A Level is a priority, 0 first.
type Level uint8

// The levels. The first two are foreground work.
const (
	High Level = iota
	Normal
	BackgroundHigh
	BackgroundNormal
	BackgroundLow

	Levels = 5
)

// IsBackground reports whether only background-capable slots run l.
func (l Level) IsBackground() bool { return l >= BackgroundHigh }

// The hints: one word, mostly read, that a slot loads once for each task it takes. A bit is
// set while the shared queue of that level may hold something, while a runner waits to get
// a slot back, and while the watch asks for a sign of life. No bit set: the slot's own
// deques are all there is to look at.
const (
	hintLevel  uint32 = 1 // shifted by the level
	hintResume uint32 = 1 << 8
	// Runners that left a background-capable slot and need one again.
	hintResumeBackground uint32 = 1 << 9
	hintProbe            uint32 = 1 << 10
	hintCall             uint32 = 1 << 11 // some base slot has a call, see Call

	hintsUrgent     = hintLevel<<High | hintResume | hintResumeBackground | hintProbe | hintCall
	hintsForeground = hintLevel<<High | hintLevel<<Normal | hintResume | hintProbe
	hintsAll        = hintsForeground | hintLevel<<BackgroundHigh | hintLevel<<BackgroundNormal |
		hintLevel<<BackgroundLow | hintResumeBackground
)
