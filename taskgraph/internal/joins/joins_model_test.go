//go:build modelcheck

package joins_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/joins"
)

// A forker is one body's forks and those who steal them: what taskgraph does with a Join, on a
// place that is used again.
type forker struct {
	m      *modelcheck.Model
	deque  lockfree.Deque[uint32] // of the body
	parker *park.Parker
	places [4]struct {
		joins.Join
		call, result int
		isFree       bool
	}
	free  lockfree.Stack[uint32]
	fresh uint32
	ran   [4]int
	place [4]uint32 // of each call
}

func (f *forker) fork(call int) {
	n, ok := f.free.Pop()
	if !ok {
		n = f.fresh
		f.fresh++
	}
	p := &f.places[n]
	p.call, p.isFree, f.place[call] = call, false, n
	f.deque.Push(n)
}

// pop takes the fork n off the deque if it is what was pushed there last: J1.
func (f *forker) pop(n uint32) bool {
	last, ok := f.deque.Pop()
	if ok && last != n {
		f.deque.Push(last)
	}
	return ok && last == n
}

func (f *forker) release(n uint32) {
	p := &f.places[n]
	f.m.Assert(!p.isFree, "place %d is freed twice", n)
	p.isFree = true
	p.Reset()
	f.free.Push(n)
}

func (f *forker) run(n uint32) {
	p := &f.places[n]
	f.m.Assert(!p.isFree, "a call on the free place %d", n)
	f.ran[p.call]++
	p.result = 10 + p.call
}

func (f *forker) wait(call int) {
	n := f.place[call]
	p := &f.places[n]
	switch {
	case f.pop(n):
		f.run(n)
		f.m.Assert(p.call == call && p.result == 10+call, "the place was used for another call")
		f.release(n)
	case p.TakeEarly():
		f.run(n)
		f.m.Assert(p.call == call && p.result == 10+call, "the place was used for another call")
		if p.Leave() {
			f.release(n)
		}
	default:
		f.await(n)
		f.m.Assert(p.call == call && p.result == 10+call, "the result of call %d is not there",
			call)
		f.release(n)
	}
}

// drop lets go of a call, which need not run.
func (f *forker) drop(call int) {
	n := f.place[call]
	p := &f.places[n]
	switch {
	case !f.pop(n) && p.TakeEarly():
		if p.Leave() {
			f.release(n)
		}
	case !p.IsTaken():
		f.release(n)
	default:
		f.await(n)
		f.release(n)
	}
}

func (f *forker) await(n uint32) {
	p := &f.places[n]
	if !p.Await() {
		for !p.IsDone() {
			f.parker.Park()
		}
	}
}

// stolen is what becomes of a fork that somebody else has taken off the deque.
func (f *forker) stolen(n uint32) {
	p := &f.places[n]
	run, free := p.Take()
	switch {
	case run:
		f.run(n)
		if p.Done() {
			f.parker.Unpark()
		}
	case free:
		f.release(n)
	}
}

// TestModelJoin: a forked call runs once, or never if its body drops it; its result is there when
// the wait for it ends; its place is freed once, when nobody has to do with it any more.
func TestModelJoin(t *testing.T) {
	for _, c := range []struct {
		script  string // f: fork the next call; 0 to 3: wait for it; a to d: drop it
		thieves int
		steals  int
		bound   int // 0: all
	}{
		{"f0", 1, 1, 0},
		{"fa", 1, 1, 0},
		{"ff10", 1, 2, 3},
		{"ff01", 1, 2, 3},
		{"ff0b", 1, 2, 3},
		{"ffa1", 1, 2, 3},
		{"f0f1", 1, 2, 3},
		{"ff01f2", 1, 3, 2},
		{"ff01", 2, 1, 2},
	} {
		t.Run(fmt.Sprintf("%s, %d thieves", c.script, c.thieves), func(t *testing.T) {
			program := func(m *modelcheck.Model) {
				f := &forker{m: m, parker: park.New(park.OS)}
				calls := 0
				dropped := map[int]bool{}
				m.Thread(func() {
					for _, a := range c.script {
						switch {
						case a == 'f':
							f.fork(calls)
							calls++
						case a >= 'a':
							dropped[int(a-'a')] = true
							f.drop(int(a - 'a'))
						default:
							f.wait(int(a - '0'))
						}
					}
				})
				for range c.thieves {
					m.Thread(func() {
						for range c.steals {
							if n, r := f.deque.Steal(); r == lockfree.StealOK {
								f.stolen(n)
							}
						}
					})
				}
				m.After(func() {
					for n, ok := f.deque.Pop(); ok; n, ok = f.deque.Pop() {
						f.stolen(n)
					}
					for i := range calls {
						m.Assert(f.ran[i] == 1 || f.ran[i] == 0 && dropped[i],
							"call %d ran %d times", i, f.ran[i])
					}
					for n := range f.fresh {
						m.Assert(f.places[n].isFree, "place %d was not freed", n)
					}
				})
			}
			if c.bound == 0 {
				modelcheck.CheckAll(t, program)
			} else {
				modelcheck.CheckUpTo(t, c.bound, race.Enabled, program)
			}
		})
	}
}
