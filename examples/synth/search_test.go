package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// A search finds the number of voices that a version sustains, wherever it starts, if the trials
// are few enough steps away.
func TestSearchFindsTheLimit(t *testing.T) {
	for _, start := range []int{1, 30, 980, 4000} {
		for _, limit := range []int{1, 2, 7, 100, 700, 1000, 1300, 5000, maxVoices - 1, maxVoices} {
			s := newSearch(start, maxVoices)
			for range rounds + 20 { // far away is more steps than in a run
				s.note(trial{Voices: s.next, KeptUp: s.next <= limit})
			}
			require.LessOrEqual(t, s.sustained(), limit)
			require.GreaterOrEqual(t, s.sustained(), limit-limit/20, "from %d to %d", start, limit)
		}
	}
}

// The trials of a run are enough to find half or three times as many voices as it starts with.
func TestRoundsSuffice(t *testing.T) {
	for limit := 300; limit <= 3000; limit += 7 {
		s := newSearch(980, maxVoices)
		for range rounds {
			s.note(trial{Voices: s.next, KeptUp: s.next <= limit})
		}
		require.InEpsilon(t, limit, s.sustained(), 0.06, "%d", limit)
	}
}

// One trial that another program has spoilt, whichever it is, moves the result by little.
func TestSearchForgivesASpoiltTrial(t *testing.T) {
	for _, limit := range []int{600, 980, 1400, 1900} {
		for spoilt := range rounds {
			s := newSearch(980, maxVoices)
			for n := range rounds {
				s.note(trial{Voices: s.next, KeptUp: s.next <= limit && n != spoilt})
			}
			require.InEpsilon(t, limit, s.sustained(), 0.1, "limit %d, spoilt %d", limit, spoilt)
		}
	}
}

// A version that keeps up with nothing sustains 0, and is tried with one voice.
func TestSearchWithoutSuccess(t *testing.T) {
	s := newSearch(980, maxVoices)
	for range rounds {
		s.note(trial{Voices: s.next})
	}
	require.Zero(t, s.sustained())
	v := version{Trials: s.trials}
	require.Equal(t, 1, v.least())
}

// The number of voices stays within its limits.
func TestSearchAtItsEnds(t *testing.T) {
	s := newSearch(maxVoices-1, maxVoices)
	for range 3 {
		s.note(trial{Voices: s.next, KeptUp: true})
	}
	require.Equal(t, maxVoices, s.next)
	require.Equal(t, maxVoices, s.sustained())
	s = newSearch(1, maxVoices)
	s.note(trial{Voices: 1})
	require.Equal(t, 1, s.next)
}

// Of trials that contradict each other those decide that are more.
func TestSustainedFitsMostTrials(t *testing.T) {
	s := newSearch(100, maxVoices)
	for _, u := range []trial{{Voices: 100, KeptUp: true}, {Voices: 200, KeptUp: true},
		{Voices: 150}, {Voices: 300, KeptUp: true}, {Voices: 250}, {Voices: 260}} {
		s.note(u)
	}
	require.Equal(t, 200, s.sustained(), "one failure is below, and one success above")
}

// The versions have their trials by turns, each its own number of voices, and an error ends it.
func TestSeek(t *testing.T) {
	limits := map[string]int{"serial": 1200, "plain Go": 1600, "Heddle": 2000}
	var order []string
	list, err := seek(900, func(kind engineKind, voices, turn int) {
		require.Len(t, order, turn)
		order = append(order, kind.name)
	}, func(kind engineKind, voices int) (trial, error) {
		return trial{Voices: voices, KeptUp: voices <= limits[kind.name]}, nil
	})
	require.NoError(t, err)
	require.Len(t, order, rounds*len(engines))
	require.Equal(t, []string{"serial", "plain Go", "Heddle", "Heddle", "plain Go", "serial"},
		order[:6])
	for i, s := range list {
		require.InEpsilon(t, limits[engines[i].name], s.sustained(), 0.06, engines[i].name)
		require.Len(t, s.trials, rounds)
	}

	snapped := errors.New("a string has snapped")
	_, err = seek(900, func(engineKind, int, int) {}, func(engineKind, int) (trial, error) {
		return trial{}, snapped
	})
	require.ErrorIs(t, err, snapped)
	require.ErrorContains(t, err, "serial: ")
}
