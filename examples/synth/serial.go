package main

import (
	"time"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/orchestra"
)

// serial runs the nodes one after the other. The tail's have the gaps between the blocks of a
// chunk, an equal number each.
type serial struct {
	plan orchestra.Plan
	tail orchestra.Plan
	left orchestra.Plan // of the tail
}

func newSerial(o *orchestra.Orchestra) *serial { return &serial{plan: o.Block(), tail: o.Tail()} }

func (s *serial) play(f func() error) error { return f() }

func (s *serial) await(beat time.Time) error {
	wallClock.until(beat, func(time.Time) {})
	return nil
}

func (s *serial) block() error {
	run(s.plan)
	return nil
}

func (s *serial) between(tail bool) {
	if tail {
		s.left = s.tail
	}
	share := (len(s.tail) + dsp.ChunkBlocks - 1) / dsp.ChunkBlocks
	share = min(share, len(s.left))
	run(s.left[:share])
	s.left = s.left[share:]
}

func (s *serial) settle() (ready bool, err error) {
	ready = len(s.left) == 0
	run(s.left)
	s.left = nil
	return ready, nil
}

func (s *serial) close() error { return nil }

func run(p orchestra.Plan) {
	for i := range p {
		p[i].Run()
	}
}
