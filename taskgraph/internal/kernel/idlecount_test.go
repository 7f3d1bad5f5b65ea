package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// Who has brought the count to zero may be late to say so: by then there is more, and an event that is for that.
func TestIdleCountIsNotZeroBecauseItWas(t *testing.T) {
	var c kernel.IdleCount[*int]
	triggered := map[*int]bool{}
	trigger := func(e *int) { triggered[e] = true }
	fresh := func() *int { return new(int) }
	c.Add(1)
	e, ok := c.Event(fresh, trigger)
	require.True(t, ok)
	c.End(trigger)
	require.Empty(t, triggered)
	again, ok := c.Event(fresh, trigger)
	require.True(t, ok)
	require.Same(t, e, again, "the event is there as before")
	c.Add(2)
	c.Done(2, trigger)
	require.Empty(t, triggered)
	c.Done(1, trigger)
	require.Equal(t, map[*int]bool{e: true}, triggered)
	_, ok = c.Event(fresh, trigger)
	require.False(t, ok)
	c.End(trigger)
	require.Len(t, triggered, 1)
}
