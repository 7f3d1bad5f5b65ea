//go:build !modelcheck

package flight

const (
	blockSlots = 126 // a block is 2 KiB
	minBlocks  = 4
)
