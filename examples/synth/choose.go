package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/orchestra"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// period is the time between two beats, rounded down to nanoseconds.
const period = dsp.Block * time.Second / dsp.Rate

const (
	// target is how long a block is to keep one thread busy: long enough to be worth a division,
	// and short enough for one thread to keep up.
	target = 2 * period / 3
	// few and several are the first two numbers of voices that are measured.
	few     = usualVoices
	several = 4 * few
	// measured is how many blocks give a median, if they take no longer than patient.
	measured = 400
	patient  = time.Second
)

// A blockTime is the median time that one thread takes for a block, with its share of the work in
// the background.
type blockTime struct {
	Voices int     `json:"voices"`
	MS     float64 `json:"ms"`

	took time.Duration
}

// load returns the share of the period for which the block keeps one thread busy.
func (b blockTime) load() float64 { return float64(b.took) / float64(period) }

// choose measures some blocks, and returns the one that keeps one thread busy for as nearly target
// as can be, and all. The time of a block is nearly a straight line over the number of voices, so
// two measurements say where the third one belongs, and the third one says where a fourth one
// belongs if it is not near enough.
func choose(block func(voices int) (time.Duration, error)) (best blockTime, list []blockTime,
	err error) {
	measure := func(voices int) (b blockTime, err error) {
		if b.took, err = block(voices); err != nil {
			return b, err
		}
		b.Voices, b.MS = voices, figures.MS(b.took)
		list = append(list, b)
		if len(list) == 1 || abs(b.took-target) < abs(best.took-target) {
			best = b
		}
		return b, nil
	}
	low, err := measure(few)
	if err != nil {
		return best, list, err
	}
	for next := several; len(list) < 4; {
		high, err := measure(next)
		if err != nil {
			return best, list, err
		}
		rise := float64(high.took-low.took) / float64(high.Voices-low.Voices) // for each voice
		if rise <= 0 {
			rise = float64(high.took) / float64(high.Voices)
		}
		want := float64(few) + float64(target-low.took)/rise
		next = round(int(min(maxVoices, max(1, want))))
		if abs(best.took-target) < target/20 || next == few || next == high.Voices {
			break
		}
	}
	return best, list, nil
}

// eased is the factor by which ease lowers the number of voices, at most easings times.
const (
	eased   = 0.85
	easings = 4
)

// ease lowers the chosen number of voices until one thread keeps up with it at the beats. A machine
// may be slower there than in the unhurried measurement, for instance because another program uses
// the other half of a core. It returns the measurement of the final number, and all measurements.
func ease(best blockTime, list []blockTime, block func(voices int) (time.Duration, error),
	keepsUp func(voices int) (bool, error)) (blockTime, []blockTime, error) {
	for range easings {
		ok, err := keepsUp(best.Voices)
		if ok || err != nil {
			return best, list, err
		}
		best.Voices = max(1, round(int(eased*float64(best.Voices))))
		if best.took, err = block(best.Voices); err != nil {
			return best, list, err
		}
		best.MS = figures.MS(best.took)
		list = append(list, best)
	}
	return best, list, nil
}

// round rounds a number of voices to tens, if there are some.
func round(voices int) int {
	if voices < 20 {
		return voices
	}
	return min((voices+5)/10*10, maxVoices)
}

func abs(d time.Duration) time.Duration { return max(d, -d) }

// medianBlock plays some blocks of the serial version one after the other, without a clock that
// hurries it, and returns the median time.
func medianBlock(ctx context.Context, piece *score.Piece, voices int,
	show *cli.Progress) (time.Duration, error) {
	show.Show(fmt.Sprintf("measuring blocks of %d voices on one thread", voices))
	o := orchestra.New(piece, voices, true)
	p, err := newPlayer(engines[0], o, 1, false)
	if err != nil {
		return 0, err
	}
	times := make([]time.Duration, 0, measured)
	begin := time.Now()
	for n := 0; n < warmBlocks+measured && (len(times) == 0 || time.Since(begin) < patient); n++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		start := time.Now()
		if _, err := p.next(); err != nil {
			return 0, err
		}
		p.delivered()
		if n >= warmBlocks {
			times = append(times, time.Since(start))
		}
	}
	slices.Sort(times)
	return times[len(times)/2], p.close()
}
