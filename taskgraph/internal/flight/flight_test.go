package flight_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// A ring has the last records, and says how many were before.
func TestRingKeepsTheLast(t *testing.T) {
	r := flight.NewRing(4)
	numbers, wrong := r.Read()
	require.Empty(t, numbers)
	require.Empty(t, wrong)
	last := uint64(0)
	for i := range 10_000 {
		last = r.Put(1 + i%2)
	}
	numbers, wrong = r.Read()
	require.Empty(t, wrong)
	require.Equal(t, last, numbers[len(numbers)-1])
	require.GreaterOrEqual(t, len(numbers), 3*(flight.BlockSlots-1))
	for i, n := range numbers[1:] {
		require.Equal(t, numbers[i]+1, n)
	}
	require.Zero(t, r.Dropped())
}

// Under the race detector this shows that a read while the ring is written is ordered.
func TestRingIsReadWhileItIsWritten(t *testing.T) {
	r := flight.NewRing(64)
	var done atomics.Bool
	ended := make(chan string)
	go func() {
		for !done.Load() {
			if _, wrong := r.Read(); wrong != "" {
				ended <- wrong
				return
			}
		}
		ended <- ""
	}()
	for i := range 100_000 {
		r.Put(1 + i%2)
	}
	done.Store(true)
	require.Empty(t, <-ended)
	require.Zero(t, r.Readers())
}

// A stamp follows the clock of the system: what passes between two stamps is as long as the clock
// says, as exactly as it can be known when it was read before and after each. So it is where the
// processor's counter is not steady, too.
func TestTicksAreTime(t *testing.T) {
	for _, g := range []*flight.Log{flight.New(1024, true), flight.NewWithoutCounter()} {
		before := atomics.Now()
		from, _ := g.Now()
		began := atomics.Now()
		for atomics.Now()-began < 20_000_000 {
			atomics.Pause(10)
		}
		ended := atomics.Now()
		to, scale := g.Now()
		after := atomics.Now()
		took := float64(to-from) * scale
		require.GreaterOrEqual(t, took, 0.99*float64(ended-began))
		require.LessOrEqual(t, took, 1.01*float64(after-before))
	}
}

// Without the counter ticks are nanoseconds since the log was made.
func TestTicksWithoutCounter(t *testing.T) {
	before := atomics.Now()
	g := flight.NewWithoutCounter()
	ticks, scale := g.Now()
	after := atomics.Now()
	require.Equal(t, 1.0, scale)
	require.GreaterOrEqual(t, ticks, int64(0))
	require.LessOrEqual(t, ticks, after-before)
	l := g.Take(0, nil)
	l.Put(flight.Done, 1)
	at := g.Read()[0].Entries[0].Ticks
	require.GreaterOrEqual(t, at, ticks)
	require.LessOrEqual(t, at, atomics.Now()-before)
}

// taken returns a lane of a log that shares stamps, and what reads it.
func taken() (l *flight.Lane, read func() []flight.Entry) {
	g := flight.New(1024, false)
	return g.Take(0, nil), func() []flight.Entry { return g.Read()[0].Entries }
}

// However fast other records come, a body that follows has times of its own.
func TestBurstsLeaveBodiesAlone(t *testing.T) {
	l, read := taken()
	for range 100 {
		l.Put2(flight.LaunchNow, 1, 0, 0)
	}
	l.Begin(2, 0, 0)
	l.End(flight.End, 2)
	shared := 0
	for _, e := range read() {
		if e.Kind != flight.LaunchNow {
			require.False(t, e.Shared)
		} else if e.Shared {
			shared++
		}
	}
	require.Positive(t, shared)
}

// A body that follows the end of another begins at that time, unless time may have passed.
func TestBodiesFollow(t *testing.T) {
	l, read := taken()
	l.Follow(flight.BeginOf, 1) // after nothing
	l.End(flight.End, 1)
	l.Follow(flight.BeginOf, 2)
	l.End(flight.End, 2)
	for began := atomics.Now(); atomics.Now() == began; {
	}
	l.Rest()
	l.Follow(flight.BeginOf, 3)
	l.End(flight.End, 3)
	l.Put(flight.Done, 4)
	l.Follow(flight.BeginOf, 5)
	l.Next(6)
	all := read()
	var kinds []flight.Kind
	for i, e := range all {
		kinds = append(kinds, e.Kind)
		if i > 0 {
			require.GreaterOrEqual(t, e.Ticks, all[i-1].Ticks)
		}
	}
	require.Equal(t, []flight.Kind{flight.BeginOf, flight.End, flight.BeginOf, flight.End,
		flight.BeginOf, flight.End, flight.Done, flight.BeginOf, flight.Next}, kinds)
	require.Equal(t, all[1].Ticks, all[2].Ticks)
	require.False(t, all[4].Shared)
	require.Greater(t, all[4].Ticks, all[3].Ticks)
}

type job struct{ _, _ int }

// A name costs a word, and is found when it is read.
func TestNames(t *testing.T) {
	g := flight.New(1024, true)
	require.Equal(t, "flight_test.TestNames.func1", g.Text(flight.NameOf(func() {}, true)))
	require.Equal(t, "flight_test.job", g.Text(flight.NameOf(job{}, false)))
	require.Equal(t, "*flight_test.job", g.Text(flight.NameOf(&job{}, false)))
	require.Empty(t, g.Text(flight.NameOf(nil, true)))
	require.Empty(t, g.Text(flight.NameOf((func())(nil), true)))
	require.Empty(t, flight.NoCode.String(), "no function is there")
	n := g.Label("weft").At(2)
	require.Equal(t, "weft", g.Text(n))
	prio, ok := n.Priority()
	require.True(t, ok)
	require.Equal(t, uint8(2), prio)
	for range 5000 {
		g.Label("warp")
	}
	require.Empty(t, g.Text(n), "names are kept for ever")
}

// Labels of a user have numbers for good, and there is an end of them.
func TestMarksHaveAnEnd(t *testing.T) {
	g := flight.New(1024, true)
	require.Empty(t, g.MarkText(1), "there is none yet")
	for i := range flight.MaxMarks {
		n, ok := g.Mark(strconv.Itoa(i))
		require.True(t, ok)
		require.Equal(t, uint64(i+1), n)
	}
	_, ok := g.Mark("one more")
	require.False(t, ok)
	require.Equal(t, "0", g.MarkText(1))
	require.Equal(t, strconv.Itoa(flight.MaxMarks-1), g.MarkText(flight.MaxMarks))
	require.Empty(t, g.MarkText(0))
	require.Empty(t, g.MarkText(flight.MaxMarks+1))
}

// Only the system that records knows what its priorities are called.
func TestLevelsAreNamedByTheSystem(t *testing.T) {
	g := flight.New(1024, true)
	require.Empty(t, g.Level(1))
	require.True(t, g.Use(false, func(prio uint8) string { return strconv.Itoa(int(prio)) }))
	require.Equal(t, "1", g.Level(1))
	require.False(t, g.Use(false, nil), "two systems record in one log")
}
