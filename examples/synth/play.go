package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/orchestra"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// blocksPerSlice is how many blocks a version plays before the next one has its turn, half a
// second, so that whatever else the machine does meets them all alike.
const blocksPerSlice = dsp.Rate / dsp.Block / 2

// A contestant is a version that plays against the clock.
type contestant struct {
	name string
	*player
	metronome
	times  []time.Duration // from a beat to the end of its block
	total  int             // beats, the lost ones included
	late   int             // tails that were not ready when they were due
	cpu    time.Duration
	wall   time.Duration // of its slices
	counts bool          // the processor time is known
}

func newContestant(kind engineKind, piece *score.Piece, voices, workers,
	blocks int) (*contestant, error) {
	p, err := newPlayer(kind, orchestra.New(piece, voices, true), workers, true)
	if err != nil {
		return nil, err
	}
	return &contestant{name: kind.name, player: p, metronome: metronome{clock: wallClock},
		times: make([]time.Duration, 0, blocks)}, nil
}

// slice plays so many blocks at their beats.
func (c *contestant) slice(ctx context.Context, blocks int) error {
	runtime.GC() // or this slice would pay for the garbage of the one before
	before, _ := cpuTime()
	begin := c.now()
	err := c.play(func() error {
		c.start()
		for range blocks {
			if err := ctx.Err(); err != nil {
				return err
			}
			beat, err := c.metronome.await(c.player.await)
			if err != nil {
				return err
			}
			late, err := c.next()
			if err != nil {
				return err
			}
			end := c.now()
			c.times = append(c.times, end.Sub(beat))
			if late {
				c.late++
			}
			c.ended(end, late)
			c.delivered()
		}
		c.total += c.beats
		return nil
	})
	after, ok := cpuTime()
	c.cpu, c.counts = c.cpu+after-before, ok
	c.wall += c.now().Sub(begin)
	return err
}

// duel lets all versions play so many blocks each, in turns that go to and fro.
func duel(ctx context.Context, piece *score.Piece, voices, workers, blocks int,
	show *cli.Progress) (list []*contestant, err error) {
	defer func() {
		for _, c := range list {
			err = errors.Join(err, c.close())
		}
	}()
	for _, kind := range engines {
		c, err := newContestant(kind, piece, voices, workers, blocks)
		if err != nil {
			return list, err
		}
		list = append(list, c)
	}
	slices := (blocks + blocksPerSlice - 1) / blocksPerSlice
	for s := range slices {
		for k := range list {
			turn := s*len(list) + k
			if s%2 == 1 {
				k = len(list) - 1 - k
			}
			c := list[k]
			show.At(c.name, turn, slices*len(list))
			if err := c.slice(ctx, min(blocksPerSlice, blocks-c.begun)); err != nil {
				return list, fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	return list, nil
}
