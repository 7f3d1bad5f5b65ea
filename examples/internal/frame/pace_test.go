package frame

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A script is a clock that moves only when somebody waits, or works.
type script struct {
	at    time.Time
	slept []time.Duration
}

func (s *script) clock() clock {
	return clock{func() time.Time { return s.at }, func(d time.Duration) {
		s.at = s.at.Add(d)
		s.slept = append(s.slept, d)
	}}
}

// Frames begin at equal times. One that takes too long misses its deadline, and so does the next
// one if it cannot make up for it.
func TestPace(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name   string
		takes  []time.Duration
		slept  []time.Duration
		missed int
	}{
		// 10 ms is just in time, and nothing is left to wait
		{"in time", []time.Duration{4 * ms, 10 * ms, 1 * ms}, []time.Duration{6 * ms}, 0},
		{"one is late", []time.Duration{4 * ms, 11 * ms, 1 * ms, 1 * ms},
			[]time.Duration{6 * ms, 8 * ms}, 1},
		{"one makes two late", []time.Duration{25 * ms, 2 * ms, 1 * ms, 1 * ms},
			[]time.Duration{2 * ms}, 2},
		{"all", []time.Duration{11 * ms, 11 * ms, 11 * ms}, nil, 3},
	} {
		s := &script{}
		c := &contestant{pace: pace{clock: s.clock(), fps: 100}}
		c.plan = newPlan(10*ms, []step{{name: "work", work: func(frame, _, _ int) {
			s.at = s.at.Add(test.takes[frame])
		}}})
		c.play = newSerial(c.plan, nil)
		require.NoError(t, c.slice(t.Context(), 0, len(test.takes), false), test.name)
		require.Equal(t, test.missed, c.pace.missed, test.name)
		require.Equal(t, test.takes, c.times, test.name)
		require.Equal(t, test.slept, s.slept, test.name)
	}

	s := &script{}
	c := &contestant{pace: pace{clock: s.clock()}}
	c.plan = newPlan(10*ms, []step{{name: "work", work: func(_, _, _ int) {
		s.at = s.at.Add(time.Hour)
	}}})
	c.play = newSerial(c.plan, nil)
	require.NoError(t, c.slice(t.Context(), 0, 3, false))
	require.Zero(t, c.pace.missed, "without a pace there is no deadline")
	require.Empty(t, s.slept)
	require.Equal(t, 3*time.Hour, c.wall)
}
