package frame

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// filmed is a snapshot of marks of frames, and of one body in each frame that is there as a whole.
func filmed() *trace.Snapshot {
	at := func(ms int, k trace.Kind, task, other trace.ID, arg uint64) trace.Event {
		return trace.Event{At: time.Duration(ms) * time.Millisecond, Kind: k, Task: task,
			Other: other, Arg: arg}
	}
	return &trace.Snapshot{
		From: time.Millisecond, To: time.Second,
		Tasks: map[trace.ID]trace.Task{1: {Name: "frame"}, 2: {Name: "end of frame"},
			3: {Name: "first"}, 4: {Name: "second"}, 5: {Name: "frame"}},
		Lanes: []trace.Lane{{Name: "worker 0", Events: []trace.Event{
			at(22, trace.Begin, 3, 0, 0), at(25, trace.End, 3, 0, 0),
			at(31, trace.Begin, 4, 0, 0), at(39, trace.End, 4, 0, 0),
		}}, {Name: "outside", Kind: trace.LaneOutside, Events: []trace.Event{
			at(0, trace.Mark, 0, 1, 18), at(9, trace.Mark, 0, 2, 18), // began before the window
			at(20, trace.Mark, 0, 1, 19), at(26, trace.Mark, 0, 2, 19),
			at(30, trace.Mark, 0, 1, 20), at(40, trace.Mark, 0, 2, 20),
			at(50, trace.Mark, 0, 1, 21), // has not ended
		}}},
	}
}

func TestTakes(t *testing.T) {
	const ms = time.Millisecond
	require.Equal(t, []take{{19, 20 * ms, 26 * ms}, {20, 30 * ms, 40 * ms}}, takes(filmed()))
	require.Empty(t, takes(&trace.Snapshot{}))
}

func TestCutTo(t *testing.T) {
	const ms = time.Millisecond
	whole := filmed()
	part := cutTo(whole, 30*ms, 40*ms)
	require.Equal(t, filmed(), whole)
	require.Equal(t, []time.Duration{30 * ms, 40 * ms}, []time.Duration{part.From, part.To})
	require.Len(t, part.Lanes[0].Events, 2)
	require.Len(t, part.Lanes[1].Events, 2, "those at the borders are in it")
	require.Equal(t, trace.ID(4), part.Lanes[0].Events[0].Task)
}

// The profile is of one turn of frames.
func TestProfileOfTheLastTurn(t *testing.T) {
	r, err := profileOf(filmed())
	require.NoError(t, err)
	require.Equal(t, 8*time.Millisecond, r.Work, "frame 19 is of the turn before")
	_, err = profileOf(&trace.Snapshot{})
	require.ErrorIs(t, err, errNoFrame)
	require.ErrorIs(t, drawLanes(nil, &trace.Snapshot{}), errNoFrame)
}

func TestNoFilm(t *testing.T) {
	var f *film
	require.Nil(t, f.recorder())
	f.begins(1)
	f.ends(1)
}
