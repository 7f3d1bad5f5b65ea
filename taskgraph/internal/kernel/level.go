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

// The hints: one word, mostly read, that a slot loads once for each task it takes. If no bit is set
// and the number of the watch's last probe is that which it has answered, the slot need only look
// at its own deques. The page level.md has the steps Q1 to Q3.
const (
	hintLevel  uint32 = 1 // shifted by the level
	hintResume uint32 = 1 << 8
	// Runners that left a background-capable slot and need one again.
	hintResumeBackground uint32 = 1 << 9
	hintCall             uint32 = 1 << 10 // some base slot has a call, see Call

	probeOne  uint32 = 1 << 12
	hintProbe        = ^(probeOne - 1) // the bits of the number, which wraps around

	hintsUrgent     = hintLevel<<High | hintResume | hintResumeBackground | hintProbe | hintCall
	hintsForeground = hintLevel<<High | hintLevel<<Normal | hintResume | hintProbe
	hintsAll        = hintsForeground | hintLevel<<BackgroundHigh | hintLevel<<BackgroundNormal |
		hintLevel<<BackgroundLow | hintResumeBackground
)
