//go:build !modelcheck

package lockfree

// How long a call waits for a peer that is between two steps, and how much it takes at a time.
// These values only tune: any others are as correct, and the model checker runs with the smallest.
const (
	queuePatience = 4 // looks at a cell of a Queue before its pusher loses it
	ringPatience  = 6 // pauses before a call of a Ring that must wait yields its processor
	lostPauses    = 1 // pauses after a lost race for a position of a Ring
	courtesy      = 4 // pauses of a side that has caught up with the other, see courtesy.go

	streamCourtesy = 16 // likewise, where values come in numbers, and there may be many callers

	raidMost = 63 // elements of a Deque that the second swap of a StealN takes at most
)
