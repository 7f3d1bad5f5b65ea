package trace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// byHand returns a recorder in which a test writes what a system would, and whose clock goes on by
// one with each record; and the lane of a worker.
func byHand(t *testing.T) (*trace.Recorder, *flight.Log, *flight.Lane) {
	rec := trace.New(trace.Options{Exact: true})
	log := rec.Log()
	require.True(t, log.Use(true, func(uint8) string { return "normal" }))
	return rec, log, log.Take(uint8(trace.LaneWorker), func(uint64) string { return "w0" })
}

// All goroutines from outside are one lane, which is nobody else's.
func TestOutsideIsOneLane(t *testing.T) {
	rec, log, w := byHand(t)
	w.Put(flight.Park, 0)
	for range 2 {
		log.Outside().Put2(flight.Mark, 0, uint64(rec.Label("m")), 0)
	}
	var names []string
	for _, l := range rec.Snapshot().Lanes {
		names = append(names, l.Name)
		for _, e := range l.Events {
			require.Equal(t, l.Name == "outside", e.Kind == trace.Mark)
		}
	}
	require.Equal(t, []string{"w0", "outside"}, names)
}

// A sleeper was woken while it slept, from the first moment on; a wake that came earlier was not
// what has ended its sleep.
func TestSleepersAreWokenWhileTheySleep(t *testing.T) {
	for ago, woken := range []bool{false, true, false} {
		rec, _, w := byHand(t)
		w.Put(flight.Blocked, 0)
		w.Put(flight.Park, 0)
		w.Put(flight.ParkEnd, flight.Key(ago))
		var kinds []trace.Kind
		for _, e := range rec.Snapshot().Lanes[0].Events {
			kinds = append(kinds, e.Kind)
		}
		want := []trace.Kind{trace.Blocked, trace.Park, trace.Wake, trace.ParkEnd}
		if !woken {
			want = append(want[:2], trace.ParkEnd)
		}
		require.Equal(t, want, kinds, "%d after the beginning of the end", ago)
	}
}

// What a task waits for is named once, however often it was recorded; and the tasks of a run have
// the names that its graph gives them.
func TestSnapshotsOfTasks(t *testing.T) {
	rec, log, w := byHand(t)
	key := func(n uint32) flight.Key { return flight.NodeKey(1, n) }
	for n, name := range []string{"first", "second", "last"} {
		w.Put2(flight.Launch, key(uint32(n+1)), uint64(log.Label(name)), 0)
	}
	for _, before := range []uint32{1, 2, 1, 2} {
		w.Put2(flight.After, key(3), 0, uint64(key(before)))
	}
	g := &flight.Graph{Names: make([]flight.Name, 1), After: make([][]uint32, 1),
		Texts: []string{"of the graph"}, Prio: make([]uint8, 1)}
	log.AddGraph(g)
	run := log.NewRun()
	w.Put2(flight.Run, key(4), g.Number, uint64(run))
	w.Put(flight.BeginOf, flight.TaskKey(run, 0))
	w.Put(flight.End, flight.TaskKey(run, 0))
	after := map[string][]string{}
	s := rec.Snapshot()
	for _, task := range s.Tasks {
		after[task.Name] = nil
		for _, id := range task.After {
			after[task.Name] = append(after[task.Name], s.Tasks[id].Name)
		}
	}
	require.Equal(t, []string{"first", "second"}, after["last"])
	require.Contains(t, after, "of the graph")
}

// A body that begins as another one ends has the time of that end, or, if another lane made it
// ready later, of that moment.
func TestBodiesFollow(t *testing.T) {
	for _, c := range []struct{ launched, ends bool }{{}, {true, false}, {true, true}} {
		rec := trace.New(trace.Options{})
		log := rec.Log()
		require.True(t, log.Use(true, func(uint8) string { return "normal" }))
		w := log.Take(uint8(trace.LaneWorker), nil)
		other := log.Take(uint8(trace.LaneWorker), nil)
		a, b := flight.NodeKey(1, 1), flight.NodeKey(1, 2)
		w.Begin(a, 0, 0)
		w.End(flight.End, a)
		if c.launched {
			other.Put2(flight.Launch, b, 0, 0)
		}
		w.Begin(b, 0, 0)
		if c.ends {
			w.End(flight.End, b)
		}
		lanes := rec.Snapshot().Lanes
		events := lanes[0].Events
		require.Equal(t, trace.End, events[1].Kind)
		require.Equal(t, trace.Done, events[2].Kind)
		require.Equal(t, trace.Begin, events[3].Kind)
		want := events[1].At
		if c.launched {
			want = lanes[1].Events[0].At
			require.Greater(t, want, events[1].At)
		}
		require.Equal(t, want, events[3].At)
	}
}
