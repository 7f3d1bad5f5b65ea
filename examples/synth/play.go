package main

import (
	"context"
	"errors"
	"fmt"
	"math"
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

	tolerates int // a slice ends early when more blocks than this are missed
}

func newContestant(kind engineKind, piece *score.Piece, voices, workers,
	blocks int) (*contestant, error) {
	p, err := newPlayer(kind, orchestra.New(piece, voices, true), workers, true)
	if err != nil {
		return nil, err
	}
	return &contestant{name: kind.name, player: p, metronome: metronome{clock: wallClock},
		times: make([]time.Duration, 0, blocks), tolerates: math.MaxInt}, nil
}

// failed reports whether more blocks are missed than tolerated.
func (c *contestant) failed() bool { return c.missed > c.tolerates }

// warmUp plays some blocks that do not count: the first ones after a start find nothing in the
// caches, and threads that have just begun.
func (c *contestant) warmUp(ctx context.Context) error {
	err := c.slice(ctx, warmBlocks)
	c.times, c.total, c.late, c.missed, c.cpu, c.wall = c.times[:0], 0, 0, 0, 0, 0
	return err
}

// warmBlocks is how many blocks do not count: two chunks.
const warmBlocks = 2 * dsp.ChunkBlocks

// slice plays a number of blocks at their beats.
func (c *contestant) slice(ctx context.Context, blocks int) error {
	runtime.GC() // or this slice would pay for the garbage of the one before
	before, _ := cpuTime()
	begin := c.now()
	err := c.play(func() error {
		c.start()
		for n := 0; n < blocks && !c.failed(); n++ {
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

// duel lets all versions play a number of blocks each, in turns that go to and fro. Further turns
// may come after these, of which show knows.
func duel(ctx context.Context, piece *score.Piece, voices, workers, blocks, further int,
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
	slices := slicesIn(blocks)
	for s := range slices {
		for k := range list {
			turn := s*len(list) + k
			if s%2 == 1 {
				k = len(list) - 1 - k
			}
			c := list[k]
			show.At(fmt.Sprintf("%s, %d voices", c.name, voices), turn, slices*len(list)+further)
			if s == 0 {
				err = c.warmUp(ctx)
			}
			if err == nil {
				err = c.slice(ctx, min(blocksPerSlice, blocks-len(c.times)))
			}
			if err != nil {
				return list, fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	return list, nil
}

// slicesIn returns how many slices a number of blocks takes.
func slicesIn(blocks int) int { return (blocks + blocksPerSlice - 1) / blocksPerSlice }
