package main

import (
	"context"
	"errors"
	"time"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/orchestra"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A rendering is a whole piece.
type rendering struct {
	samples []float32 // left and right by turns
	digest  uint64
	took    time.Duration
}

// seconds returns how long the piece is.
func (r *rendering) seconds() float64 { return float64(len(r.samples)) / 2 / dsp.Rate }

// render plays a piece from its beginning to its end as fast as it goes.
func render(ctx context.Context, kind engineKind, piece *score.Piece, voices, workers int,
	show *cli.Progress) (r rendering, err error) {
	o := orchestra.New(piece, voices, false)
	p, err := newPlayer(kind, o, workers, false)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	blocks := o.Blocks()
	r.samples = make([]float32, 0, blocks*2*dsp.Block)
	start := time.Now()
	for p.begun < blocks {
		show.At("the tune", p.begun/blocksPerSlice, slicesIn(blocks))
		err := p.play(func() error {
			for range min(blocksPerSlice, blocks-p.begun) {
				if err := ctx.Err(); err != nil {
					return err
				}
				if _, err := p.next(); err != nil {
					return err
				}
				p.delivered()
				r.samples = append(r.samples, o.Out()[:]...)
			}
			return nil
		})
		if err != nil {
			return r, err
		}
	}
	r.took, r.digest = time.Since(start), p.digest
	return r, nil
}
