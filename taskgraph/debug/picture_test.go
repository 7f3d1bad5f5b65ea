package debug

import (
	"fmt"
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

// Of more bodies than a picture has room for it has the last ones.
func TestPictureOfTheLastBodies(t *testing.T) {
	s := &trace.Snapshot{Lanes: make([]trace.Lane, 1), Tasks: map[trace.ID]trace.Task{}}
	for i := range trace.ID(shownBoxes + 7) {
		name := "early"
		if i >= 7 {
			name = "late"
		}
		s.Tasks[i+1] = trace.Task{Name: name}
		s.Lanes[0].Events = append(s.Lanes[0].Events,
			trace.Event{At: s.To, Kind: trace.Begin, Task: i + 1},
			trace.Event{At: s.To + 1, Kind: trace.End, Task: i + 1})
		s.To += 2
	}
	var v view
	v.draw(s, profile.Of(s, profile.Options{}))
	require.Equal(t, shownBoxes+7, v.Bodies)
	require.Equal(t, shownBoxes, v.Boxes)
	require.Equal(t, shownBoxes, strings.Count(string(v.Picture), ">late, "))
	require.NotContains(t, v.Picture, "early")
}

// A lane does what was begun last on it and has not ended, or nothing.
func TestStateOf(t *testing.T) {
	s := &trace.Snapshot{To: 9, Tasks: map[trace.ID]trace.Task{1: {Name: "a"}, 2: {Name: "b"}}}
	state := func(events ...trace.Event) string {
		x := stateOf(&trace.Lane{Events: events}, s)
		return fmt.Sprint(x.State, " ", x.Runs, " ", x.Since)
	}
	begin := trace.Event{At: 2, Kind: trace.Begin, Task: 1}
	wait := trace.Event{At: 3, Kind: trace.Wait, Task: 1}
	inside := trace.Event{At: 4, Kind: trace.Begin, Task: 2}
	end := func(e trace.Event) trace.Event {
		return trace.Event{At: 5, Kind: e.Kind + 1, Task: e.Task}
	}
	require.Equal(t, "has nothing to do  0s", state())
	require.Equal(t, "runs a 7ns", state(begin))
	require.Equal(t, "waits in a 6ns", state(begin, wait))
	require.Equal(t, "runs b 5ns", state(begin, wait, inside))
	require.Equal(t, "waits in a 6ns", state(begin, wait, inside, end(inside)))
	require.Equal(t, "runs a 7ns", state(begin, wait, end(wait)))
	require.Equal(t, "has nothing to do  0s", state(begin, wait, inside, end(begin)))
}
