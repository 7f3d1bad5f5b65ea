package frame

import "github.com/heddle-go/heddle/taskgraph"

// An arrival is something that comes from another thread, a file, say.
type arrival struct {
	event taskgraph.Event // complete when it is there
	done  chan struct{}   // closed then
}
