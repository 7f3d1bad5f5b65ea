//go:build modelcheck

package flight

const (
	blockSlots = 2
	minBlocks  = 3
)
