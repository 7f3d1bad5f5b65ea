package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A block that is late makes the next one begin late, not the beats; and what nothing can make up
// for is lost.
func TestMetronome(t *testing.T) {
	const period = time.Second * 64 / 48000
	for _, test := range []struct {
		name   string
		takes  []time.Duration // by each block
		missed int
		beats  int // begun or lost
	}{
		{"in time", []time.Duration{period / 2, period / 9, period / 2}, 0, 3},
		{"one is late", []time.Duration{0, period * 12 / 10, period / 2, period / 2}, 1, 4},
		{"one makes two late", []time.Duration{period * 19 / 10, period / 2, period / 2}, 2, 3},
		{"all", []time.Duration{2 * period, 2 * period, 2 * period}, 3, 3},
		{"very late", []time.Duration{period * 205 / 10, period / 2, period / 2, 0, 0, 0, 0, 0, 0,
			0, 0, 0, 0, 0}, 21, 14 + 12},
	} {
		s := &script{at: time.Unix(1, 0)}
		m := metronome{clock: s.clock()}
		m.start()
		begin := m.begin
		for i, d := range test.takes {
			roused := time.Time{}
			beat, err := m.await(func(beat time.Time) error {
				m.until(beat, func(beat time.Time) {
					require.LessOrEqual(t, beat.Sub(s.at), early)
					roused = beat
				})
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, beat, roused)
			require.False(t, s.at.Before(beat), "%s: not before the beat", test.name)
			if i == 0 {
				require.Equal(t, begin, beat)
				require.Less(t, s.at.Sub(beat), 3*glance)
			}
			s.at = s.at.Add(d)
			m.ended(s.at, false)
		}
		require.Equal(t, test.beats, m.beats, test.name)
		require.Equal(t, test.missed, m.missed, test.name)
	}

	s := &script{}
	m := metronome{clock: s.clock()}
	m.start()
	m.until(m.begin, func(time.Time) {})
	m.beats++
	m.ended(s.at, true)
	require.Equal(t, 1, m.missed, "missed for another reason")
	require.Equal(t, []time.Duration{early - glance}, s.slept[:1])
	require.Equal(t, 750*period.Round(time.Nanosecond)/750, m.beat(751).Sub(m.beat(1))/750)
	require.Equal(t, time.Hour, m.beat(750*3600).Sub(m.begin), "no beat is lost by rounding")
}
