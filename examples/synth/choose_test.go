package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The chosen voices keep one thread busy for about two thirds of a period, on a fast machine and on
// a slow one, whether the time is a straight line over the voices or not quite.
func TestChoose(t *testing.T) {
	for name, block := range map[string]func(voices float64) float64{ // microseconds
		"usual":  func(v float64) float64 { return 40 + 0.9*v },
		"fast":   func(v float64) float64 { return 5 + 0.1*v },
		"slow":   func(v float64) float64 { return 100 + 9*v },
		"caches": func(v float64) float64 { return 40 + 0.7*v + 0.0003*v*v },
		"near":   func(v float64) float64 { return 50 + 2.5*v },
		"exact":  func(v float64) float64 { return 7.05 * (v + 42) },
	} {
		best, list, err := choose(func(voices int) (time.Duration, error) {
			return time.Duration(block(float64(voices)) * 1e3), nil
		})
		require.NoError(t, err)
		require.InDelta(t, 2.0/3, best.load(), 0.06, name)
		require.Equal(t, few, list[0].Voices, name)
		require.Contains(t, list, best, name)
		require.LessOrEqual(t, len(list), 4, name)
		require.InDelta(t, block(float64(best.Voices))/1e3, best.MS, 1e-3)
	}
}

// What no number of voices gives is approached as nearly as the limits allow.
func TestChooseAtTheLimits(t *testing.T) {
	for name, test := range map[string]struct {
		each time.Duration // for each voice
		all  time.Duration
		want int
	}{
		"too fast":  {time.Nanosecond, 0, maxVoices},
		"too slow":  {time.Millisecond, 0, 1},
		"all alike": {0, period, few},
	} {
		best, _, err := choose(func(voices int) (time.Duration, error) {
			return test.all + time.Duration(voices)*test.each, nil
		})
		require.NoError(t, err)
		require.Equal(t, test.want, best.Voices, name)
	}
}

func TestChooseFails(t *testing.T) {
	snapped := errors.New("a string has snapped")
	for n := range 3 {
		calls := 0
		_, list, err := choose(func(voices int) (time.Duration, error) {
			if calls++; calls > n {
				return 0, snapped
			}
			return time.Duration(voices) * time.Microsecond, nil
		})
		require.ErrorIs(t, err, snapped)
		require.Len(t, list, n)
	}
}
