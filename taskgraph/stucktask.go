package taskgraph

import (
	"time"

	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
)

// A StuckTask is a task, an event or a goroutine in a [StuckReport].
type StuckTask struct {
	Name     string        // as in `task "draw"`, `event "skin"`, "thread Game", "a goroutine"
	State    string        // unsubmitted, untriggered, waiting, ready or executing
	Site     string        // where it was made, as file:line, with Options.Sites
	WaitsFor []string      // up to sixteen incomplete events, or what else it waits for
	Why      string        // what else it lacks: a launch, a trigger, its thread
	Age      time.Duration // how long the body has run, with Options.Sites or Options.SlowAfter
	// where the body is, if it is on a cycle or has been reported for its age
	Stack string

	links stuck.Links
}
