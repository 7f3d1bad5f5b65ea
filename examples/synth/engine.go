package main

import (
	"math"
	"time"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/orchestra"
)

// An engine is a way to run the two plans of an orchestra. Its methods but for close are called by
// the function that play was given.
type engine interface {
	// play calls f where blocks are to be played.
	play(f func() error) error
	// await waits until the next block begins, at a certain time, and sees to it that all who will
	// compute it are awake then.
	await(beat time.Time) error
	// block runs the plan of a block.
	block() error
	// between says that a block was delivered and that there is time until the next one. If tail is
	// true, the plan of the tail begins, and goes on beside the following blocks.
	between(tail bool)
	// settle waits until the tail has come to its end, and reports whether it had before.
	settle() (ready bool, err error)
	// close ends it. The tail may be under way.
	close() error
}

// An engineKind makes an engine for so many workers. Live, it is to play at beats.
type engineKind struct {
	name string
	make func(o *orchestra.Orchestra, workers int, live bool) (engine, error)
}

// engines are the versions, in the order in which they are shown.
var engines = []engineKind{
	{"serial", func(o *orchestra.Orchestra, _ int, _ bool) (engine, error) {
		return newSerial(o), nil
	}},
	{"plain Go", func(o *orchestra.Orchestra, workers int, _ bool) (engine, error) {
		return newPlain(o, workers), nil
	}},
	{"Heddle", newHeddle},
}

// A player plays an orchestra block after block.
type player struct {
	engine
	orchestra *orchestra.Orchestra
	begun     int    // blocks
	chunk     bool   // the last one was the first of a chunk
	digest    uint64 // of all samples
}

func newPlayer(kind engineKind, o *orchestra.Orchestra, workers int, live bool) (*player, error) {
	e, err := kind.make(o, workers, live)
	return &player{engine: e, orchestra: o, digest: 14695981039346656037}, err
}

// next plays the next block. What the tail has made of the chunk before the last one is heard from
// the first block of a chunk on. So it is due then, and next waits for it; late says that it had
// to.
func (p *player) next() (late bool, err error) {
	p.chunk = p.begun > 0 && p.begun%dsp.ChunkBlocks == 0
	if p.chunk {
		ready, err := p.settle()
		if err != nil {
			return false, err
		}
		late = !ready
	}
	p.orchestra.Next()
	p.begun++
	return late, p.block()
}

// delivered does what can be done when a block is out: it adds that to the digest, and lets the
// engine do its own.
func (p *player) delivered() {
	for _, x := range p.orchestra.Out() {
		p.digest = (p.digest ^ uint64(math.Float32bits(x))) * 1099511628211 // FNV-1a, by words
	}
	if p.chunk {
		p.orchestra.NextTail()
	}
	p.between(p.chunk)
}
