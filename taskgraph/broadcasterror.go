package taskgraph

import (
	"fmt"
	"strings"

	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
)

// A BroadcastError says who took no part in a [System.Broadcast] that was ended.
type BroadcastError struct {
	// those that have not come and are not called any more, as "worker 2" or "thread Game"
	Missing []string
	Running []string // those that have come and whose call has not returned
	Cause   error    // of the context's end, or ErrClosed
}

// Error names them.
func (e *BroadcastError) Error() string {
	var b strings.Builder
	b.WriteString("taskgraph: broadcast")
	for _, x := range []struct {
		what string
		who  []string
	}{{"without", e.Missing}, {"still running on", e.Running}} {
		if len(x.who) == 0 {
			continue
		}
		const most = 8
		who := x.who[:min(most, len(x.who)):min(most, len(x.who))]
		if more := len(x.who) - most; more > 0 {
			who = append(who, fmt.Sprintf("%d more", more))
		}
		fmt.Fprintf(&b, " %s %s", x.what, stuck.And(who))
	}
	fmt.Fprintf(&b, ": %v", e.Cause)
	return b.String()
}

// Unwrap returns the cause.
func (e *BroadcastError) Unwrap() error { return e.Cause }
