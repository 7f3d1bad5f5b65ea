package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// rounds is how many trials each version has.
const rounds = 14

// A trial says whether a version kept up with a number of voices.
type trial struct {
	Voices int  `json:"voices"`
	Beats  int  `json:"beats"` // fewer than asked for if the trial ended early
	Missed int  `json:"missed"`
	KeptUp bool `json:"kept_up"`
}

// A search finds how many voices a version sustains. After a trial in which the version kept up
// the number doubles; after another one it halves. Each time that the direction changes, the steps
// become smaller. So a trial that was spoilt by another program costs a few steps and decides
// nothing.
type search struct {
	next   int     // number of voices of the next trial
	step   float64 // what the number is multiplied by, or divided by
	most   int
	trials []trial
}

// firstStep and lastStep are the factors between two numbers of voices.
const (
	firstStep = 2.0
	lastStep  = 1.04
)

// newSearch returns a search that begins at a number of voices.
func newSearch(start, most int) *search { return &search{next: start, step: firstStep, most: most} }

// note takes the result of the trial of next, and moves next.
func (s *search) note(t trial) {
	if n := len(s.trials); n > 0 && s.trials[n-1].KeptUp != t.KeptUp {
		s.step = max(lastStep, math.Sqrt(s.step))
	}
	s.trials = append(s.trials, t)
	voices := float64(t.Voices)
	if t.KeptUp {
		s.next = min(s.most, max(t.Voices+1, int(voices*s.step)))
	} else {
		s.next = max(1, min(t.Voices-1, int(math.Round(voices/s.step))))
	}
}

// sustained returns the number of voices that fits the trials best: of those with which the
// version once kept up, the greatest with the fewest trials that contradict it, which are failures
// with no more voices and successes with more. It is 0 if the version never kept up.
func (s *search) sustained() (best int) {
	fewest := len(s.trials) + 1
	for _, t := range s.trials {
		if !t.KeptUp {
			continue
		}
		against := 0
		for _, u := range s.trials {
			if u.KeptUp != (u.Voices <= t.Voices) {
				against++
			}
		}
		if against < fewest || against == fewest && t.Voices > best {
			best, fewest = t.Voices, against
		}
	}
	return best
}

// A try is a trial of one version.
type try func(kind engineKind, voices int) (trial, error)

// seek searches for all versions, which have their trials by turns, so that a noise of the machine
// meets them all alike. Before each trial it calls show.
func seek(start int, show func(kind engineKind, voices, turn int), try try) ([]*search, error) {
	list := make([]*search, len(engines))
	for i := range list {
		list[i] = newSearch(start, maxVoices)
	}
	for r := range rounds {
		for k := range list {
			turn := r*len(list) + k
			if r%2 == 1 {
				k = len(list) - 1 - k
			}
			show(engines[k], list[k].next, turn)
			t, err := try(engines[k], list[k].next)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", engines[k].name, err)
			}
			list[k].note(t)
		}
	}
	return list, nil
}

// attempt plays a number of voices for a number of blocks, and ends early if the version has missed
// more than it may.
func attempt(ctx context.Context, kind engineKind, piece *score.Piece, voices int, o *options) (
	t trial, err error) {
	blocks := blocksIn(o.trial)
	c, err := newContestant(kind, piece, voices, o.workers, blocks)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.warmUp(ctx); err != nil {
		return t, err
	}
	c.tolerates = o.allowed(blocks)
	for len(c.times) < blocks && !c.failed() {
		if err := c.slice(ctx, min(blocksPerSlice, blocks-len(c.times))); err != nil {
			return t, err
		}
	}
	return trial{Voices: voices, Beats: c.total, Missed: c.missed, KeptUp: !c.failed()}, nil
}

// searchProgress returns what seek is to call, where some turns came before its own.
func searchProgress(show *cli.Progress, before int) func(kind engineKind, voices, turn int) {
	return func(kind engineKind, voices, turn int) {
		show.At(fmt.Sprintf("%s, %d voices", kind.name, voices), before+turn,
			before+rounds*len(engines))
	}
}
