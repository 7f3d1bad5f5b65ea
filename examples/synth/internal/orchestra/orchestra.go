package orchestra

import (
	"fmt"
	"math"

	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
)

// BlockTime is how long a block lasts, in seconds.
const BlockTime = float64(dsp.Block) / dsp.Rate

// reverberation is how long the hall takes to fall silent, in seconds, and wet how loud it is.
const (
	reverberation = 1.8
	wet           = 0.8
)

// An Orchestra plays a piece. For each block, Next comes first, then the nodes of Block. After each
// chunk of dsp.ChunkBlocks blocks, NextTail comes first, then the nodes of Tail, beside further
// blocks if that is wanted; they must be done a chunk later, when the next NextTail comes.
type Orchestra struct {
	piece    *score.Piece
	voices   []*voice
	channels []*channel
	dry      dsp.Stereo
	sent     dsp.Stereo // to the hall
	hall     [2]*dsp.Convolver
	out      [2 * dsp.Block]float32

	block, tail Plan
	loop        bool
	at          int // block of the piece
	chunk       int // that the tail works on
}

// lanes is how many notes a line may sound at a time: the last one may still fade when the next one
// begins.
const lanes = 2

// Lanes returns how many voices a piece needs for each note to be played by one.
func Lanes(piece *score.Piece) (n int) {
	for _, p := range piece.Parts {
		n += lanes * len(p.Lines)
	}
	return n
}

// New returns an orchestra that plays a piece with a number of voices, from its beginning to its
// end, or for ever from its loop on. In the latter case the notes before the loop are still fading,
// so that the first blocks are as much work as all others. If there are more voices than Lanes,
// several voices play each note, a little out of tune; if there are fewer, the last parts rest.
func New(piece *score.Piece, voices int, loop bool) *Orchestra {
	o := &Orchestra{piece: piece, loop: loop, at: -1, chunk: -1}
	for ear := range o.hall {
		o.hall[ear] = dsp.NewConvolver(dsp.Hall(reverberation, uint64(ear)))
	}
	for i := range piece.Parts {
		o.channels = append(o.channels, newChannel(&piece.Parts[i], piece.Tempo))
	}
	o.recruit(voices)
	if loop {
		start := o.blockOf(piece.Loop)
		o.seek(start)
		for _, v := range o.voices {
			v.catchUp(start)
		}
	}
	o.planBlock()
	o.planTail()
	return o
}

// blockOf returns the block in which a time of the piece is, in quarter notes.
func (o *Orchestra) blockOf(quarters float64) int {
	return int(math.Round(o.piece.Seconds(quarters) / BlockTime))
}

// Blocks returns how long the piece is, in blocks, with what sounds on at its end.
func (o *Orchestra) Blocks() int { return o.blockOf(o.piece.End) + int(2.5/BlockTime) }

// recruit makes the voices, and deals them out to the lanes by turns.
func (o *Orchestra) recruit(voices int) {
	all := Lanes(o.piece)
	lane := 0
	for i := range o.piece.Parts {
		part := &o.piece.Parts[i]
		p := &patches[part.Sound]
		for _, line := range part.Lines {
			for k := range lanes {
				var cues []cue
				for n := k; n < len(line); n += lanes {
					start, end := o.blockOf(line[n].Start), o.blockOf(line[n].End)
					cues = append(cues, cue{start, max(1, end-start),
						float32(score.Hz(float64(line[n].Pitch)))})
				}
				number := (voices - lane + all - 1) / all // of voices that this lane gets
				for m := range number {
					side := 0.0 // -1 to 1 among those of the lane
					if number > 1 {
						side = 2*float64(m)/float64(number-1) - 1
					}
					gain := float64(p.gain) / math.Sqrt(float64(number))
					pan := min(1, max(-1, part.Pan+0.3*side))
					v := newVoice(p, cues, len(o.voices), 7*side, pan, gain)
					o.voices = append(o.voices, v)
					o.channels[i].voices = append(o.channels[i].voices, v)
				}
				lane++
			}
		}
	}
}

// seek makes a block of the piece the next one.
func (o *Orchestra) seek(block int) {
	o.at = block - 1
	for _, v := range o.voices {
		v.seek(block)
	}
}

// planBlock makes the plan of a block. The past of the hall needs nothing of this block, so it
// comes first and runs beside the voices.
func (o *Orchestra) planBlock() {
	p := &o.block
	var past, room [2]int
	for ear, c := range o.hall {
		past[ear] = p.add("hall: past "+ears[ear], c.Past)
	}
	var channels []int
	for i, c := range o.channels {
		var voices []int
		for k, v := range c.voices {
			voices = append(voices, p.add(fmt.Sprintf("%s: voice %d", o.piece.Parts[i].Name, k),
				func() { v.play(o.at) }))
		}
		channels = append(channels, c.plan(p, o.piece.Parts[i].Name, voices))
	}
	mix := p.add("mix", o.mix, channels...)
	for ear, c := range o.hall {
		room[ear] = p.add("hall: "+ears[ear], func() { c.Process(&o.sent[ear]) }, past[ear], mix)
	}
	p.add("master", o.master, room[:]...)
}

var ears = [2]string{"left", "right"}

// planTail makes the plan of what the hall does with a chunk.
func (o *Orchestra) planTail() {
	p := &o.tail
	for ear, c := range o.hall {
		t := c.Tail()
		forward := p.add("tail: forward "+ears[ear], func() { t.Forward(o.chunk) })
		var pieces []int
		for k := range dsp.TailPieces {
			pieces = append(pieces, p.add(fmt.Sprintf("tail: piece %d %s", k, ears[ear]), func() {
				t.Multiply(k)
			}, forward))
		}
		p.add("tail: inverse "+ears[ear], func() { t.Inverse(o.chunk) }, pieces...)
	}
}

// Block returns the plan of a block. It is the same for all.
func (o *Orchestra) Block() Plan { return o.block }

// Tail returns the plan of the later part of the hall for a chunk. It is the same for all.
func (o *Orchestra) Tail() Plan { return o.tail }

// Next goes on to the next block.
func (o *Orchestra) Next() {
	o.at++
	if o.loop && o.at == o.blockOf(o.piece.End) {
		o.seek(o.blockOf(o.piece.Loop))
		o.at++
	}
}

// NextTail goes on to the next chunk.
func (o *Orchestra) NextTail() { o.chunk++ }

// Out returns the block played last, left and right by turns, within -1..1.
func (o *Orchestra) Out() *[2 * dsp.Block]float32 { return &o.out }

// mix adds up the channels, as they are and for the hall.
func (o *Orchestra) mix() {
	o.dry, o.sent = dsp.Stereo{}, dsp.Stereo{}
	for _, c := range o.channels {
		o.dry.AddStereo(&c.sound, 1)
		o.sent.AddStereo(&c.sound, c.send)
	}
}

// master adds the hall, and bends what is loud to within -1..1.
func (o *Orchestra) master() {
	for ear := range o.dry {
		hall := o.hall[ear].Heard()
		for i, x := range o.dry[ear] {
			x += wet * hall[i]
			o.out[2*i+ear] = x / float32(math.Sqrt(float64(1+x*x)))
		}
	}
}
