package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A trial reports whether so many voices can be played for a time.
type trial func(voices int, long time.Duration) (bool, error)

const (
	probe = time.Second // how long a number of voices is tried before it is tried in earnest
	// how often, before it counts as too many: the machine does other things as well
	attempts = 2
	fine     = 16 // numbers that differ by less than one in so many are not told apart
)

// sustained returns how many voices, up to most, can be played for a time: it doubles them until
// that is too much, halves the distance until it is small, and tries what that gave, and less and
// less, for the whole time.
func sustained(long time.Duration, most int, try trial) (int, error) {
	can := func(voices int, long time.Duration) (ok bool, err error) {
		for range attempts {
			if ok, err = try(voices, long); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	good, bad := 0, most+1
	for next := 16; good < most && bad > most; next *= 2 {
		next = min(next, most)
		ok, err := can(next, min(probe, long))
		if err != nil {
			return 0, err
		}
		if ok {
			good = next
		} else {
			bad = next
		}
	}
	for bad-good > max(1, good/fine) {
		middle := (good + bad) / 2
		ok, err := can(middle, min(probe, long))
		if err != nil {
			return 0, err
		}
		if ok {
			good = middle
		} else {
			bad = middle
		}
	}
	for good > 0 {
		ok, err := can(good, long)
		if ok || err != nil {
			return good, err
		}
		good -= max(1, good/fine)
	}
	return 0, nil
}

// sustain finds how many voices each version sustains for a time, with so many missed blocks at
// most, and in a shorter trial its share of them. The contestants that it returns are those of the
// last trials.
func sustain(ctx context.Context, piece *score.Piece, workers int, whole time.Duration, misses int,
	show *cli.Progress) (list []*contestant, voices []int, err error) {
	for _, kind := range engines {
		var last *contestant
		n, err := sustained(whole, maxVoices,
			func(voices int, long time.Duration) (ok bool, err error) {
				c, err := newContestant(kind, piece, voices, workers, blocksIn(long))
				if err != nil {
					return false, err
				}
				defer func() { err = errors.Join(err, c.close()) }()
				allowed := int(math.Ceil(float64(misses) * float64(long) / float64(whole)))
				for c.begun < blocksIn(long) {
					show.Show(fmt.Sprintf("%s: %d voices, %d of %v s", kind.name, voices,
						c.begun/(2*blocksPerSlice), long.Seconds()))
					if err := c.slice(ctx,
						min(blocksPerSlice, blocksIn(long)-c.begun)); err != nil {
						return false, err
					}
					if c.missed > allowed {
						return false, nil
					}
				}
				last = c
				return true, nil
			})
		if err != nil {
			return list, voices, fmt.Errorf("%s: %w", kind.name, err)
		}
		if n == 0 { // not even one voice
			last = &contestant{name: kind.name}
		}
		list, voices = append(list, last), append(voices, n)
	}
	return list, voices, nil
}
