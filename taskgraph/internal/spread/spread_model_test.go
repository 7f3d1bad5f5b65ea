//go:build modelcheck

package spread_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/spread"
)

// A site is two processors on which threads run, one at a time on each. All begin on the first one.
type site struct {
	m       *modelcheck.Model
	threads int
	moves   atomics.Int32
	places  []spread.Place // of the slots
	idle    []bool         // their holders; changed when nobody else goes on
	now     atomics.Int64
	running [2]atomics.Uint32 // the thread; 0: none
	on      [4]atomics.Uint32 // of each thread, by its number
}

// arrive waits until the processor of a thread runs it.
func (s *site) arrive(thread uint32) {
	for {
		there := s.on[thread].Load()
		if s.running[there].CompareAndSwap(0, thread) {
			if s.on[thread].Load() == there {
				return
			}
			s.running[there].Store(0) // the system has moved it meanwhile
		}
		atomics.Pause(1)
	}
}

func (s *site) leave(thread uint32) { s.running[s.on[thread].Load()].Store(0) }

// event is one of the holder of slot i, whose thread has the given number.
func (s *site) event(thread uint32, i int) {
	look := s.places[i].Begin(&spread.Threads{
		Now:  func() int64 { return s.now.Add(2 * spread.AskEvery) },
		Here: func() (uint32, uint32) { return s.on[thread].Load(), thread },
		Waits: func(other, processor uint32) bool {
			s.m.Assert(other != thread, "thread %d asks about itself", thread)
			return s.on[other].Load() == processor
		},
		Move: func() {
			here := s.on[thread].Load()
			s.m.Assert(s.others(thread, here) > 0, "thread %d moves from where it is alone", thread)
			s.moves.Add(1)
			s.on[thread].Store(1 - here)
			s.running[here].Store(0)
			s.arrive(thread)
		},
	})
	for v := range s.places {
		if v != i && !s.idle[v] {
			look.See(&s.places[v])
		}
	}
	look.End()
}

// others returns how many other threads are on a processor.
func (s *site) others(thread, processor uint32) (n int) {
	for t := 1; t <= s.threads; t++ {
		if uint32(t) != thread && s.on[t].Load() == processor {
			n++
		}
	}
	return n
}

// TestModelSpread: a holder moves only from a processor on which another thread is that cannot run
// meanwhile, and asks about no thread but others; when each has looked, and the system moves nobody
// any more, there is at most one more on one processor than on the other.
func TestModelSpread(t *testing.T) {
	for _, c := range []struct {
		uses  [][]int // for each thread, of which slots it is the holder, one after the other
		moved int     // a thread that the system moves meanwhile, or 0
		bound int
	}{
		{[][]int{{0}, {1}}, 0, 4},
		{[][]int{{0, 0}, {1}}, 0, 3},
		{[][]int{{0, 0}, {1, 1}}, 2, 2},
		{[][]int{{0, 1}, {2}}, 0, 3},
		{[][]int{{0}, {1}, {2}}, 0, 2},
		{[][]int{{0}, {1}, {2}}, 1, 1},
	} {
		t.Run(fmt.Sprintf("%v, %d is moved", c.uses, c.moved), func(t *testing.T) {
			modelcheck.CheckUpTo(t, c.bound, race.Enabled, func(m *modelcheck.Model) {
				s := &site{m: m, threads: len(c.uses), places: make([]spread.Place, len(c.uses)+1),
					idle: make([]bool, len(c.uses)+1)}
				look := func(thread int, slots []int) {
					for _, slot := range slots {
						s.arrive(uint32(thread))
						s.event(uint32(thread), slot)
						s.leave(uint32(thread))
					}
				}
				for i, slots := range c.uses {
					m.Thread(func() { look(i+1, slots) })
				}
				if c.moved > 0 {
					m.Thread(func() {
						thread := uint32(c.moved)
						s.arrive(thread) // so that it does nothing
						there := s.on[thread].Load()
						s.on[thread].Store(1 - there)
						s.running[there].Store(0)
					})
				}
				m.After(func() {
					for _, slots := range c.uses { // who has lost its slot is nobody
						for _, slot := range slots[:len(slots)-1] {
							if slot != slots[len(slots)-1] {
								s.idle[slot] = true
							}
						}
					}
					var before int32
					for range 3 {
						before = s.moves.Load()
						for i, slots := range c.uses {
							look(i+1, slots[len(slots)-1:])
						}
					}
					m.Assert(s.moves.Load() == before, "they move although they have parted")
					first := s.others(0, 0)
					m.Assert(first-(s.threads-first) <= 1 && s.threads-first-first <= 1,
						"%d of %d threads are on the first processor", first, s.threads)
				})
			})
		})
	}
}
