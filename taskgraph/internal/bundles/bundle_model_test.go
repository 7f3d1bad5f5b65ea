//go:build modelcheck

package bundles_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
)

// A bundleProgram says what the holders of slots do. Each slot has a deque, and each value is for
// owner 0 or 1. The steps are
//
//	0 1  a call for that owner: Put or, if there is no room, Open, and its entry into the deque
//	t    what lies newest in the own deque is taken: by Top or, failing that, by Pop and Take
//	s    the oldest entry of the other's deque is stolen, and one value taken: what is left is
//	     queued
//	b    TakeBack
type bundleProgram [2]string

type bundlePlay struct {
	m      *modelcheck.Model
	pool   bundles.Pool[int, *bundleNote]
	slots  [2]bundleSlot
	owners [2]int // their addresses
	count  [2]atomics.Int32
}

type bundleSlot struct {
	bundles.Bundles[int, *bundleNote]
	deque lockfree.Deque[uint32]
	put   []*bundleNote
	tags  [bundles.BundleSize]uint64
}

type bundleNote struct {
	of    *int
	tag   uint64
	taken atomics.Int32
}

func (p *bundlePlay) run(s *bundleSlot, steps string) {
	for _, step := range steps {
		switch step {
		case 't':
			p.top(s)
		case 's':
			other := &p.slots[0]
			if other == s {
				other = &p.slots[1]
			}
			if n, r := other.deque.Steal(); r == lockfree.StealOK {
				p.take(s, n)
			}
		case 'b':
			s.TakeBack()
		default:
			note := &bundleNote{of: &p.owners[step-'0'], tag: uint64(len(s.put)<<1 | 1)}
			if s == &p.slots[1] {
				note.tag++
			}
			s.put = append(s.put, note)
			if !s.Put(note.of, note, note.tag) {
				p.count[step-'0'].Add(bundles.BundleSize)
				s.deque.Push(s.Open(note.of, note, note.tag).Number())
			}
		}
	}
}

// top takes what is newest in the own deque of s, and reports whether anything was there.
func (p *bundlePlay) top(s *bundleSlot) bool {
	n, ok := s.deque.Newest()
	if !ok {
		return false
	}
	b := s.At(n)
	of := b.Of()
	if note, tag, ok := s.Top(b); ok {
		p.took(of, note, tag)
		return true
	}
	popped, ok := s.deque.Pop()
	if !ok {
		return false
	}
	p.m.Assert(popped == n, "the newest was %d, and %d is popped", n, popped)
	p.m.Assert(b.Of() == of, "whose bundle %d is has changed", n)
	p.take(s, n)
	return true
}

// take takes a value of bundle n, whose entry s has taken out of a deque.
func (p *bundlePlay) take(s *bundleSlot, n uint32) {
	b := s.At(n)
	of := b.Of()
	room := make([]*bundleNote, 0, bundles.BundleSize)
	note, tag, rest, more, unused := s.Take(b, room, s.tags[:])
	if more {
		s.deque.Push(n)
	}
	if len(rest) > 0 {
		s.deque.Push(s.Fill(of, rest, s.tags[:len(rest)]).Number())
	}
	p.took(of, note, tag)
	p.settle(of, unused)
}

func (p *bundlePlay) took(of *int, note *bundleNote, tag uint64) {
	p.m.Assert(note != nil, "there is no value")
	p.m.Assert(note.of == of, "a value of another owner is taken")
	p.m.Assert(note.tag == tag, "a value has the tag %d in place of %d", tag, note.tag)
	p.m.Assert(note.taken.Add(1) == 1, "a value is taken twice")
	p.settle(of, 1)
}

// settle counts what was taken, and the places that were not used.
func (p *bundlePlay) settle(of *int, n int) {
	for i := range p.owners {
		if of == &p.owners[i] {
			p.count[i].Add(-int32(n))
		}
	}
}

// program returns p as a program for the checker.
func (b bundleProgram) program(m *modelcheck.Model) {
	p := &bundlePlay{m: m}
	p.pool.Tag()
	for i := range p.slots {
		p.slots[i].Use(&p.pool)
		m.Thread(func() { p.run(&p.slots[i], b[i]) })
	}
	m.After(func() {
		for i := range p.slots {
			for p.top(&p.slots[i]) {
			}
		}
		for _, note := range slices.Concat(p.slots[0].put, p.slots[1].put) {
			m.Assert(note.taken.Load() == 1, "a value is taken %d times", note.taken.Load())
		}
		for i := range p.owners {
			m.Assert(p.count[i].Load() == 0, "%d are left of what owner %d counted",
				p.count[i].Load(), i)
		}
	})
}

// TestModelBundle: what is put into bundles is taken once, for its owner, with its tag, wherever
// the entry goes and whoever has the bundle after that; and what was counted for its places is
// given back.
func TestModelBundle(t *testing.T) {
	for _, p := range []bundleProgram{
		{"00t", "s"},
		{"000", "s"},
		{"00tt", "s"},
		{"0t0", "s"},
		{"001", "s"},
		{"00b0", "s"},
		{"00", "st"},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) { modelcheck.CheckAll(t, p.program) })
	}
	for _, p := range []bundleProgram{
		{"000t0", "st0"},
		{"00b0t", "s0t"},
		{"000", "ss0"},
		{"00s", "s1t"},
		{"000ts0", "st"},
		{"01t0b1", "ss"},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			modelcheck.CheckUpTo(t, 2, race.Enabled, p.program)
		})
	}
}
