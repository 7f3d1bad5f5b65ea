package main

import (
	"runtime"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// maxSamples bounds what a turn keeps.
const maxSamples = 1 << 14

// passes warms up with one pass, and then repeats it until the turn is long enough. Each pass
// does so many units.
func (s *session) passes(units int, pass func() error) (reading, error) {
	return s.clocked(units, func() (time.Duration, error) { return clock(pass) })
}

// clocked is passes for a pass that says itself how long it took.
func (s *session) clocked(units int, pass func() (time.Duration, error)) (reading, error) {
	return repeat(units, pass, func(done int, total time.Duration) bool {
		return total < s.turn && done < maxSamples
	})
}

// times is passes for a number of them.
func (s *session) times(n, units int, pass func() error) (reading, error) {
	return repeat(units, func() (time.Duration, error) { return clock(pass) },
		func(done int, _ time.Duration) bool {
			return done < n
		})
}

// repeat warms up and measures one pass, and others as long as there should be more.
func repeat(units int, pass func() (time.Duration, error),
	more func(done int, total time.Duration) bool) (reading, error) {
	if _, err := pass(); err != nil {
		return reading{}, err
	}
	samples := make([]float64, 0, 64)
	runtime.GC()
	before := mallocs()
	for total := time.Duration(0); len(samples) == 0 || more(len(samples), total); {
		took, err := pass()
		if err != nil {
			return reading{}, err
		}
		total += took
		samples = append(samples, float64(took)/float64(units))
	}
	allocs := float64(mallocs()-before) / float64(len(samples)) / float64(units)
	return reading{samples: samples, allocs: &allocs}, nil
}

// clock times a call.
func clock(f func() error) (time.Duration, error) {
	begin := atomics.Now()
	err := f()
	return time.Duration(atomics.Now() - begin), err
}

// mallocs returns how many objects were allocated so far.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
