//go:build modelcheck

package crew_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/crew"
)

// A crewProgram is a caller that runs loops one after the other, as package taskgraph does.
type crewProgram struct {
	units   int
	helpers int
	rounds  int
	guided  bool // units are taken in parts
	cut     int  // who takes this unit ends the loop early, if there is such a unit
	early   bool // the caller's wait ends by itself, as a shutdown may end it
	// how often the first helper of a round looks for the next one before it detaches; 0: it does
	// not stay
	stays int
}

// A crewMemory is the memory of a loop, which is used again. All but the crew is plain.
type crewMemory struct {
	crew     crew.Crew
	left     park.Parker
	round    int // of the loop that it belongs to
	launched atomics.Int32
	free     bool
}

// A crewPlay is one execution.
type crewPlay struct {
	crewProgram
	m    *modelcheck.Model
	mem  []*crewMemory
	seen [4][8]int // by round and unit; plain, as what bodies write
	over [4]bool
	told [4]atomics.Int32 // as the event that the last to leave triggers
	cuts [4]atomics.Bool
}

func (p *crewPlay) take(l *crewMemory) (from, to uint64, ok bool) {
	if p.guided {
		return l.crew.TakeMany(uint64(p.units), 2, 1)
	}
	from, ok = l.crew.Take(uint64(p.units))
	return from, from + 1, ok
}

func (p *crewPlay) work(l *crewMemory, round int) {
	for {
		from, to, ok := p.take(l)
		if !ok {
			return
		}
		p.m.Assert(!p.over[round], "unit %d of round %d after its end", from, round)
		for u := from; u < to; u++ {
			p.seen[round][u]++
			if int(u) == p.cut {
				p.cuts[round].Store(true)
				l.crew.Cut(uint64(p.units))
				return
			}
		}
	}
}

func (p *crewPlay) launch(l *crewMemory, round int) {
	if l.crew.Left(uint64(p.units)) && int(l.launched.Add(1)) <= p.helpers {
		l.crew.Launch()
		atomics.Go(func() { p.help(l, round) })
	}
}

func (p *crewPlay) help(l *crewMemory, round int) {
	if l.crew.Join() {
		p.m.Assert(l.round == round, "a helper of round %d joins round %d", round, l.round)
		for {
			p.launch(l, round)
			p.work(l, round)
			number := l.crew.Number()
			if p.stays == 0 || !l.crew.Stay() {
				break
			}
			joined, last := p.stay(l, number)
			if !joined {
				if last {
					p.m.Assert(!l.free, "the memory of round %d is freed twice", round)
					l.free = true
				}
				return
			}
			p.m.Assert(l.round > round, "who stayed since round %d joins round %d", round, l.round)
			round = l.round
		}
		if l.crew.Leave() {
			p.m.Assert(l.round == round && !l.free, "round %d wakes the caller of another", round)
			p.m.Assert(p.told[round].Add(1) == 1, "two wake the caller of round %d", round)
			l.left.Unpark()
		}
	}
	p.drop(l, round)
}

// stay waits for the next round in l, which whoever stays there joins.
func (p *crewPlay) stay(l *crewMemory, number uint64) (joined, last bool) {
	for looks := 0; ; looks++ {
		if l.crew.Rejoin(number) {
			return true, false
		}
		if looks < p.stays {
			atomics.Pause(1)
			continue
		}
		if detached, last := l.crew.Detach(number); detached {
			return false, last
		}
	}
}

func (p *crewPlay) drop(l *crewMemory, round int) {
	if l.crew.Drop() {
		p.m.Assert(l.round == round && !l.free, "the memory of round %d is freed in round %d",
			l.round, round)
		l.free = true
	}
}

func (p *crewPlay) caller() {
	for round := range p.rounds {
		// One memory, that of the round before if nobody refers to that any more: whoever frees it
		// puts it on a list, which orders that before. Here the caller may look only if it freed it
		// itself.
		l := p.mem[len(p.mem)-1]
		l.round = round
		l.launched.Store(1)
		if !l.crew.Open(0) {
			l.launched.Store(0)
			p.launch(l, round)
		}
		p.work(l, round)
		if !l.crew.Close() {
			l.left.Reset()
			if l.crew.Await() {
				p.m.Assert(p.told[round].Add(1) == 1,
					"the caller of round %d is woken, and need not be", round)
			} else {
				for !p.early && p.told[round].Load() == 0 {
					l.left.Park()
				}
				for !l.crew.IsDone() {
					l.left.Park()
				}
			}
		}
		p.over[round] = true
		for u := range p.units {
			n := p.seen[round][u]
			p.m.Assert(n == 1 || n == 0 && p.cuts[round].Load(),
				"unit %d of round %d was run %d times", u, round, n)
		}
		if l.crew.IsKept() {
			continue // and the next round takes it
		}
		if l.crew.Drop() {
			p.m.Assert(!l.free, "freed twice")
			continue // likewise
		}
		p.mem = append(p.mem, &crewMemory{})
	}
}

func (c crewProgram) String() string {
	return fmt.Sprintf("%d units, %d helpers, %d rounds, guided %v, cut at %d, early %v, stays %d",
		c.units, c.helpers, c.rounds, c.guided, c.cut, c.early, c.stays)
}

func (c crewProgram) program(m *modelcheck.Model) {
	p := &crewPlay{crewProgram: c, m: m, mem: []*crewMemory{{}}}
	m.Thread(p.caller)
	m.After(func() {
		for _, l := range p.mem[:len(p.mem)-1] {
			m.Assert(l.free, "the memory of a round is not freed")
		}
		for _, l := range p.mem {
			m.Assert(!l.crew.Stays(), "somebody is said to stay who has gone")
		}
	})
}

// A crewScene is a program, and the preemptions up to which it is explored; -1: all.
type crewScene struct {
	bound int
	p     crewProgram
}

const none = -1 // unit is taken that ends the loop

// TestModelCrew: every unit is run once; the caller goes on when those who joined have left, and
// then nobody joins; it is woken if it sleeps, and by nobody whose loop is over; memory is freed
// once, when nobody refers to it.
func TestModelCrew(t *testing.T) {
	playCrews(t, []crewScene{
		{-1, crewProgram{1, 1, 1, false, none, false, 0}},
		{-1, crewProgram{2, 1, 1, false, none, false, 0}},
		{-1, crewProgram{2, 1, 1, false, 0, false, 0}},
		{-1, crewProgram{3, 1, 1, true, none, false, 0}},
		{4, crewProgram{3, 1, 2, false, none, false, 0}},
		{4, crewProgram{4, 1, 2, true, 1, false, 0}},
		{3, crewProgram{2, 2, 1, false, none, false, 0}},
		{3, crewProgram{5, 2, 1, true, none, false, 0}},
		{2, crewProgram{3, 2, 2, false, 1, false, 0}},
		{2, crewProgram{3, 3, 1, false, none, false, 0}},
		{-1, crewProgram{2, 1, 1, false, none, true, 0}},
		{3, crewProgram{3, 1, 2, true, none, true, 0}},
		{2, crewProgram{3, 2, 2, false, none, true, 0}},
	})
}

// TestModelCrewStays: the same if a helper stays between two rounds. It joins a later one, or lets
// go of the memory once; that is used again only if nobody else refers to it.
func TestModelCrewStays(t *testing.T) {
	playCrews(t, []crewScene{
		{2, crewProgram{1, 2, 2, false, none, false, 1}},
		{5, crewProgram{1, 1, 2, false, none, false, 1}},
		{4, crewProgram{2, 1, 2, false, none, false, 1}},
		{3, crewProgram{2, 1, 3, false, none, false, 1}},
		{3, crewProgram{3, 1, 2, true, none, true, 1}},
		{3, crewProgram{3, 1, 3, false, 1, false, 2}},
		{2, crewProgram{3, 2, 3, false, none, false, 1}},
		{2, crewProgram{2, 2, 2, true, none, true, 2}},
	})
}

func playCrews(t *testing.T, scenes []crewScene) {
	for _, c := range scenes {
		t.Run(c.p.String(), func(t *testing.T) {
			if c.bound < 0 {
				modelcheck.CheckAll(t, c.p.program)
				return
			}
			modelcheck.CheckUpTo(t, c.bound, race.Enabled, c.p.program)
		})
	}
}

// TestModelCrewOpen: what the caller took before it opened the crew is not handed out again.
func TestModelCrewOpen(t *testing.T) {
	modelcheck.CheckAll(t, func(m *modelcheck.Model) {
		var c crew.Crew
		c.Open(2)
		var seen [5]int
		for range 2 {
			m.Thread(func() {
				for {
					u, ok := c.Take(5)
					if !ok {
						return
					}
					seen[u]++
				}
			})
		}
		m.After(func() { m.Assert(seen == [5]int{0, 0, 1, 1, 1}, "units run %v times", seen) })
	})
}
