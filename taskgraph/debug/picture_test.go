package debug

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// Only what is on the critical path is drawn as such.
func TestPictureOfTheCriticalPath(t *testing.T) {
	lane := func(name string, events ...trace.Event) trace.Lane {
		return trace.Lane{Name: name, Events: events}
	}
	s := &trace.Snapshot{To: 20, Lanes: []trace.Lane{
		lane("worker 0", trace.Event{At: 1, Kind: trace.Begin, Task: 1},
			trace.Event{At: 19, Kind: trace.End, Task: 1}),
		lane("worker 1", trace.Event{At: 2, Kind: trace.Begin, Task: 2},
			trace.Event{At: 5, Kind: trace.End, Task: 2}),
	}, Tasks: map[trace.ID]trace.Task{1: {Name: "long"}, 2: {Name: "short"}}}
	r := profile.Of(s, profile.Options{})
	var v view
	v.draw(s, r)
	boxes := strings.Split(string(v.Picture), "<rect ")
	require.Len(t, boxes, 3)
	for _, b := range boxes[1:] {
		require.Equal(t, strings.Contains(b, "long"), strings.Contains(b, ` path"`), b)
	}
}
