//go:build modelcheck

package lockfree

// See patience.go. Fewer looks mean fewer schedules to explore.
const (
	queuePatience = 1
	ringPatience  = 1
	lostPauses    = 0
	courtesy      = 0

	streamCourtesy = 0

	raidMost = 2 // with 1, no raid would have a second element to fight for
)
