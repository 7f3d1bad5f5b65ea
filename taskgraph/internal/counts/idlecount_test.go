package counts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/internal/counts"
)

// Who has brought the count to zero may be late to say so: by then there is more, and an event that
// is for that.
func TestIdleCountIsNotZeroBecauseItWas(t *testing.T) {
	var c counts.IdleCount
	triggered := map[uint64]bool{}
	trigger := func(e uint64) { triggered[e] = true }
	made := uint64(0)
	fresh := func() uint64 { made++; return made }
	c.Add(1)
	e, ok := c.Event(fresh, trigger)
	require.True(t, ok)
	c.End(trigger)
	require.Empty(t, triggered)
	again, ok := c.Event(fresh, trigger)
	require.True(t, ok)
	require.Equal(t, e, again, "the event is there as before")
	c.Add(2)
	c.Done(2, trigger)
	require.Empty(t, triggered)
	c.Done(1, trigger)
	require.Equal(t, map[uint64]bool{e: true}, triggered)
	_, ok = c.Event(fresh, trigger)
	require.False(t, ok)
	c.End(trigger)
	require.Len(t, triggered, 1)
}

func TestIdleCountAllocatesNothing(t *testing.T) {
	var c counts.IdleCount
	trigger := func(uint64) {}
	fresh := func() uint64 { return 1 }
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c.Add(1)
		c.Event(fresh, trigger)
		c.Done(1, trigger)
	}))
}
