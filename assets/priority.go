package assets

import "github.com/heddle-go/heddle/taskgraph"

// ranks is the number of priorities; rank 0 is the highest.
const ranks = 5

var byRank = [ranks]taskgraph.Priority{taskgraph.PriorityHigh, taskgraph.PriorityNormal,
	taskgraph.PriorityBackgroundHigh, taskgraph.PriorityBackgroundNormal,
	taskgraph.PriorityBackgroundLow}

func rank(p taskgraph.Priority) uint32 {
	for r, q := range byRank {
		if p == q {
			return uint32(r)
		}
	}
	panic("assets: no such priority")
}
