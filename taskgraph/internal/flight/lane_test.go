package flight_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// pass lets time pass, by the clock that stamps are made of.
func pass(d int64) {
	for began := atomics.Now(); atomics.Now()-began < d; {
	}
}

// A body with a name that begins as another ends, or is said to, begins at that time.
func TestBodiesBeginAsOthersEnd(t *testing.T) {
	l, read := taken()
	l.Begin(1, 0, 0)
	pass(100_000) // far more than what makes stamps shared
	l.End(flight.End, 1)
	pass(100_000)
	l.Begin(2, 0, 0)
	all := read()
	require.Len(t, all, 3)
	require.Equal(t, all[1].Ticks, all[2].Ticks)
	require.False(t, all[2].Shared)

	l.Put(flight.Done, 3) // so the next begins later
	l.Begin(4, 0, 0)
	l.End(flight.End, 4)
	l.Rest()
	pass(100_000)
	l.Begin(5, 0, 0)
	all = read()
	require.Greater(t, all[6].Ticks, all[5].Ticks)
}

// Records of two slots lie in one block each, wherever those before them end.
func TestRecordsOfTwoSlots(t *testing.T) {
	const n = 1000
	g := flight.New(4*n, false)
	l := g.Take(0, nil)
	for i := range uint64(n) {
		if i%7 == 0 {
			l.Put(flight.Done, flight.Key(i))
		}
		l.Put2(flight.LaunchNow, flight.Key(i), i, ^i)
	}
	all := g.Read()[0].Entries
	for i := range uint64(n) {
		if i%7 == 0 {
			require.Equal(t, flight.Done, all[0].Kind)
			require.Equal(t, flight.Key(i), all[0].Key)
			all = all[1:]
		}
		require.Equal(t, flight.LaunchNow, all[0].Kind)
		require.Equal(t, flight.Key(i), all[0].Key)
		require.Equal(t, i, all[0].Extra)
		require.Equal(t, ^i, all[0].Other)
		all = all[1:]
	}
	require.Empty(t, all)
}

// The last graphs are known by their numbers.
func TestGraphs(t *testing.T) {
	g := flight.New(1024, true)
	require.Nil(t, g.GraphOf(1))
	var all []*flight.Graph
	for range 600 {
		d := &flight.Graph{}
		g.AddGraph(d)
		all = append(all, d)
		require.Same(t, d, g.GraphOf(d.Number))
		require.Nil(t, g.GraphOf(d.Number+1))
	}
	require.Nil(t, g.GraphOf(all[0].Number), "graphs are kept for ever")
	require.Same(t, all[500], g.GraphOf(all[500].Number))
}
