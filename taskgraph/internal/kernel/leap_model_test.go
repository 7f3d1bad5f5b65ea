//go:build modelcheck

package kernel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/joins"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A leapProgram is what the holders of slots do, with calls that have letters. In a script a
// capital letter forks a call, a small one waits for it, a digit steals from that holder and
// runs what it gets, ! steals as a searcher does, maybe more than one, a dot sleeps until the
// holder is told to go on, and ^ tells all.
type leapProgram struct {
	calls  []string // what A, B and so on do
	bodies []string // what each holder does; what it forks first has been forked before
}

const leapLooks = 2 // of a wait, before it parks

// A leapStand is a place for a body on the stack of a holder. Bodies that are run there one
// after the other are the same to who looks from elsewhere.
type leapStand struct{ holder *leapHolder }

// A leapHolder holds a slot.
type leapHolder struct {
	slot   *kernel.Slot
	parker *park.Parker
	stands [4]leapStand
	depth  int

	told  atomics.Int32
	ear   *park.Parker
	stops int32
}

// stop sleeps until h has been told to go on as often as it has stopped.
func (h *leapHolder) stop() {
	for h.stops++; h.told.Load() < h.stops; {
		h.ear.Park()
	}
}

// A leapPlace is the place of a call, which is used again. All but join and note is plain.
type leapPlace struct {
	join   joins.Join
	note   kernel.Note[leapStand]
	in     *leapStand
	call   int
	result int
	isFree bool
}

// A leapPlay is one execution: what taskgraph does with forks.
type leapPlay struct {
	leapProgram
	m       *modelcheck.Model
	k       *kernel.Kernel
	holders []*leapHolder
	places  [8]leapPlace
	free    lockfree.Stack[uint32]
	fresh   atomics.Uint32
	place   [8]uint32 // of each call
	by      [8]int    // which call has forked each one; -1: a body
	ran     [8]int
}

// do plays the script of a call, or of a body if that is -1.
func (p *leapPlay) do(h *leapHolder, call int, script string) {
	c := &h.stands[h.depth-1]
	for _, a := range script {
		switch {
		case a == '!':
			if e, ok := p.k.StealNormal(h.slot); ok {
				p.stolen(h, e.Index(), anything)
				p.drain(h)
			}
		case a >= '0' && a <= '9':
			if e, ok := p.k.StealOne(h.slot, p.k.Slots()[a-'0']); ok {
				p.stolen(h, e.Index(), anything)
			}
		case a == '.':
			h.stop()
		case a == '^':
			for _, o := range p.holders {
				o.told.Add(1)
				o.ear.Unpark()
			}
		case a < 'a':
			p.fork(h, c, call, int(a-'A'))
		default:
			p.wait(h, c, int(a-'a'))
		}
	}
}

func (p *leapPlay) fork(h *leapHolder, c *leapStand, by, call int) {
	n, ok := p.free.Pop()
	if !ok {
		n = p.fresh.Add(1) - 1
	}
	l := &p.places[n]
	l.call, l.in, l.isFree = call, c, false
	p.place[call], p.by[call] = n, by
	p.k.PushFork(h.slot, normal, n)
}

func (p *leapPlay) release(n uint32) {
	l := &p.places[n]
	p.m.Assert(!l.isFree, "place %d is freed twice", n)
	l.isFree = true
	l.join.Reset()
	p.free.Push(n)
}

// run runs the call at place n where the last body of h stands.
func (p *leapPlay) run(h *leapHolder, n uint32) {
	l := &p.places[n]
	p.m.Assert(!l.isFree, "a call on the free place %d", n)
	call := l.call
	p.ran[call]++
	p.do(h, call, p.calls[call])
	l.result = 10 + call
}

func (p *leapPlay) wait(h *leapHolder, c *leapStand, call int) {
	n := p.place[call]
	l := &p.places[n]
	switch {
	case p.k.PopFork(h.slot, normal, n):
		p.run(h, n)
		p.release(n)
	case l.join.TakeEarly():
		p.run(h, n)
		if l.join.Leave() {
			p.release(n)
		}
	default:
		p.await(h, n)
		p.m.Assert(l.call == call && l.result == 10+call, "the result of call %c is not there",
			'A'+call)
		p.release(n)
	}
}

// await waits for the call at place n, which somebody has stolen.
func (p *leapPlay) await(h *leapHolder, n uint32) {
	l := &p.places[n]
	for looks := 0; looks < leapLooks && !l.join.IsDone(); {
		m, ok, over := l.note.Leap(p.k, h.slot, p.isForkOf)
		switch {
		case over:
			looks = leapLooks
		case !ok:
			looks++
			atomics.Pause(1)
		default:
			p.stolen(h, m, l.call)
		}
	}
	if !l.join.Await() {
		for !l.join.IsDone() {
			h.parker.Park()
		}
	}
}

func (p *leapPlay) isForkOf(n uint32, c *leapStand) bool {
	l := &p.places[n]
	return l.in == c || l.join.IsEarly()
}

// drain runs what is in the deque of h.
func (p *leapPlay) drain(h *leapHolder) {
	for _, e := range drain(p.k, h.slot) {
		p.stolen(h, e.Index(), anything)
	}
}

const anything = -2 // is stolen by who waits for nothing

// stolen is what becomes of the entry of place n, which h has stolen while it waited for a call.
func (p *leapPlay) stolen(h *leapHolder, n uint32, awaited int) {
	l := &p.places[n]
	run, free := l.join.Take()
	if free {
		p.release(n)
	}
	if !run {
		return
	}
	for by := l.call; awaited != anything && by != awaited; by = p.by[by] {
		p.m.Assert(by >= 0, "call %c runs on top of a wait for call %c", 'A'+l.call, 'A'+awaited)
	}
	c := &h.stands[h.depth]
	h.depth++
	l.note.Begin(c, h.slot)
	p.run(h, n)
	p.m.Assert(l.note.In() == c, "the note of call %c is gone, which runs", 'A'+l.call)
	h.depth--
	waiter := l.in.holder
	if l.note.End(&l.join) {
		waiter.parker.Unpark()
	}
}

func (q leapProgram) program(m *modelcheck.Model) {
	p := &leapPlay{leapProgram: q, m: m, k: newKernel(len(q.bodies), 0, nil)}
	for i, s := range p.k.Slots() {
		h := &leapHolder{slot: s, parker: park.New(park.OS), ear: park.New(park.OS)}
		for j := range h.stands {
			h.stands[j].holder = h
		}
		p.holders = append(p.holders, h)
		h.depth = 1
		script := strings.TrimLeft(q.bodies[i], "ABCD")
		p.do(h, -1, strings.TrimSuffix(q.bodies[i], script))
		m.Thread(func() { p.do(h, -1, script) })
	}
	m.After(func() {
		for _, h := range p.holders {
			p.drain(h)
		}
		for i := range q.calls {
			m.Assert(p.ran[i] == 1, "call %c ran %d times", 'A'+i, p.ran[i])
		}
		for n := range p.fresh.Load() {
			m.Assert(p.places[n].isFree, "place %d was not freed", n)
		}
	})
}

func (q leapProgram) String() string {
	return fmt.Sprintf("calls %q, bodies %q", q.calls, q.bodies)
}

// TestModelLeap: what a wait for a stolen call runs on top of its body is forked by that call,
// whatever else those who have run it run before and after, in the same place; each call runs
// once, and its place is freed once; the note of a call stands as long as that runs.
func TestModelLeap(t *testing.T) {
	for _, c := range []struct {
		bound int
		p     leapProgram
	}{
		{3, leapProgram{[]string{"Bb", ""}, []string{"Aa", "0"}}},
		{3, leapProgram{[]string{"BCcb", "", ""}, []string{"Aa", "0"}}},
		// The thief has another call of the waiter, which takes that back.
		{3, leapProgram{[]string{"Cc", "", ""}, []string{"ABba", "!"}}},
		// It runs a call of another body after that, in the same place.
		{2, leapProgram{[]string{".", "C.c", ""}, []string{"A^a^", "02", "Bb"}}},
		{2, leapProgram{[]string{"B.b", "", "D.d", ""}, []string{"A^a^", "02", "Cc"}}},
		// The place is used for another call, which another thief runs.
		{2, leapProgram{[]string{"", "", "D.d", ""}, []string{"AaBb^", "02", "C0c"}}},
	} {
		t.Run(c.p.String(), func(t *testing.T) {
			modelcheck.CheckUpTo(t, c.bound, race.Enabled, c.p.program)
		})
	}
}
