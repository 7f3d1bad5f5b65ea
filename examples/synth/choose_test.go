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

// A number of voices with which one thread does not keep up at the beats is lowered, a few times at
// most.
func TestEase(t *testing.T) {
	block := func(voices int) (time.Duration, error) {
		return time.Duration(voices) * time.Microsecond, nil
	}
	chosen := blockTime{Voices: 900, MS: 0.9, took: 900 * time.Microsecond}
	for most, want := range map[int][]int{
		900: nil, 800: {770}, 600: {770, 650, 550}, 1: {770, 650, 550, 470},
	} {
		best, list, err := ease(chosen, []blockTime{chosen}, block, func(voices int) (bool, error) {
			return voices <= most, nil
		})
		require.NoError(t, err)
		require.Len(t, list, 1+len(want))
		for i, voices := range want {
			require.Equal(t, voices, list[1+i].Voices)
		}
		require.Equal(t, list[len(list)-1], best)
		require.InDelta(t, float64(best.Voices)/1e3, best.MS, 1e-9)
	}
	snapped := errors.New("a string has snapped")
	_, _, err := ease(chosen, nil, block, func(int) (bool, error) { return false, snapped })
	require.ErrorIs(t, err, snapped)
	_, _, err = ease(chosen, nil, func(int) (time.Duration, error) { return 0, snapped },
		func(int) (bool, error) { return false, nil })
	require.ErrorIs(t, err, snapped)
}
