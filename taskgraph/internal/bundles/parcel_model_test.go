//go:build modelcheck

package bundles_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
)

// A parcelProgram is a parcel that goes round, and threads that put numbers into it.
type parcelProgram struct {
	full    int     // places that are filled when it begins
	rounds  []int   // whose the parcel is
	putters [][]int // for each thread, to whom it would bring something
	split   bool    // what a round finds is taken by two
}

// A parcelPlay is one execution. All but the parcel is plain: the steps of one thread between two
// of the checker's are not interleaved with others.
type parcelPlay struct {
	parcelProgram
	m       *modelcheck.Model
	parcel  bundles.Parcel[int, *putNote]
	owners  [2]int // their addresses
	round   atomics.Int32
	claimed [4]int // places, in that round, as who closed it was told
	idle    [4]atomics.Int32
}

// A putNote is what is put, and what became of it.
type putNote struct {
	of    int
	tag   uint64
	taken atomics.Int32
	told  bundles.PutResult
}

func (p *parcelPlay) open(round int) {
	of := p.rounds[round]
	note := &putNote{of: of, tag: uint64(round)<<8 | 1}
	p.parcel.Open(&p.owners[of], note, note.tag)
	atomics.Go(func() { p.close(round) })
}

func (p *parcelPlay) close(round int) {
	p.m.Assert(p.parcel.Of() == &p.owners[p.rounds[round]],
		"in round %d the parcel is another one's", round)
	places, claimed := p.parcel.Close(nil)
	p.claimed[round] = claimed
	take := func(places []uint8) {
		for _, i := range places {
			n, tag := p.parcel.Take(i)
			p.m.Assert(n != nil, "nothing is in place %d", i)
			p.m.Assert(n.tag == tag, "a number has the tag %d in place of %d", tag, n.tag)
			p.m.Assert(n.taken.Add(1) == 1, "a number is taken twice")
			p.m.Assert(n.of == p.rounds[round], "what is for %d is taken for %d", n.of,
				p.rounds[round])
		}
		if len(places) > 0 {
			p.leave(round, len(places))
		}
	}
	if p.split {
		half := places[:len(places)/2]
		atomics.Go(func() { take(half) })
		take(places[len(half):])
		return
	}
	take(places)
}

// leave leaves the parcel, and the last begins the next round.
func (p *parcelPlay) leave(round, n int) {
	if !p.parcel.Leave(n) {
		return
	}
	p.m.Assert(p.idle[round].Add(1) == 1, "two are told that they are the last of round %d", round)
	p.m.Assert(int(p.round.Load()) == round, "somebody leaves round %d in round %d", round,
		p.round.Load())
	p.parcel.Forget()
	if round+1 < len(p.rounds) {
		p.round.Store(int32(round + 1))
		p.open(round + 1)
	}
}

// program returns p as a program for the checker.
func (p parcelProgram) program(m *modelcheck.Model) {
	play := &parcelPlay{parcelProgram: p, m: m}
	notes := make([][]*putNote, len(p.putters)+1) // for each thread
	bring := func(thread, of int) {
		n := &putNote{of: of, tag: uint64(thread+1)<<16 | uint64(len(notes[thread]))}
		notes[thread] = append(notes[thread], n)
		n.told = play.parcel.Put(&play.owners[of], n, n.tag)
		if n.told == bundles.PutLate {
			m.Assert(n.taken.Load() == 0, "a number that is late was taken")
			play.leave(int(play.round.Load()), 1) // no other round can begin before
		}
	}
	play.parcel.Tag()
	play.parcel.Open(&play.owners[p.rounds[0]], &putNote{of: p.rounds[0], tag: 1}, 1)
	for range p.full - 1 {
		bring(len(p.putters), p.rounds[0])
	}
	m.Thread(func() { play.close(0) })
	for thread, list := range p.putters {
		m.Thread(func() {
			for _, of := range list {
				bring(thread, of)
			}
		})
	}
	m.After(func() {
		counted, claimed := len(p.rounds), 0
		for _, n := range slices.Concat(notes...) {
			want := int32(0)
			if n.told == bundles.PutDone {
				want = 1
			}
			if n.told != bundles.PutClosed {
				counted++
			}
			m.Assert(n.taken.Load() == want, "a number whose Put returned %d is taken %d times",
				n.told, n.taken.Load())
		}
		for round := range p.rounds {
			m.Assert(play.idle[round].Load() == 1, "round %d has not ended", round)
			claimed += play.claimed[round]
		}
		m.Assert(claimed == counted, "%d places were claimed by %d", claimed, counted)
	})
}

// TestModelParcel: what is put into a parcel is taken once, with its tag, in a turn of its owner,
// or its Put is told that it is not; the parcel goes round, and nobody touches it who has left.
func TestModelParcel(t *testing.T) {
	for _, p := range []parcelProgram{
		{full: 1, rounds: []int{0}, putters: [][]int{{0}}},
		{full: 1, rounds: []int{0, 1}, putters: [][]int{{0}}},
		{full: 1, rounds: []int{0, 0}, putters: [][]int{{0}}},
		{full: 1, rounds: []int{0, 1}, putters: [][]int{{1}}},
		{full: 2, rounds: []int{0, 1}, putters: [][]int{{0}}, split: true},
		{full: bundles.ParcelSize - 1, rounds: []int{0}, putters: [][]int{{0}, {0}}},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) { modelcheck.CheckAll(t, p.program) })
	}
	for _, p := range []parcelProgram{
		{full: 1, rounds: []int{0}, putters: [][]int{{0}, {0}}},
		{full: 1, rounds: []int{0, 1}, putters: [][]int{{0}, {1}}},
		{full: 1, rounds: []int{0, 0}, putters: [][]int{{0, 0}}},
		{full: 1, rounds: []int{0, 1, 0}, putters: [][]int{{0}, {0}}},
		{full: 1, rounds: []int{0, 1}, putters: [][]int{{0, 1}, {0}}, split: true},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			modelcheck.CheckUpTo(t, 2, race.Enabled, p.program)
		})
	}
}
