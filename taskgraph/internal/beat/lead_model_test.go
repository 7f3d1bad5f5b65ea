//go:build modelcheck

package beat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/beat"
)

// A program says how late the sleeps of each thread end, in nanoseconds. A thread asks for the lead
// before each of them, as a sleeper does, and once in the end.
type program [][]int64

const (
	gap         = 1 << 40 // of which a sixth is more than the most lead
	least, most = 20_000, 500_000
)

// leads returns what a Lead can be after some of the sleeps, at least one of them, in an order in
// which those of one thread keep theirs: each way of leaving some out, since of two who learn at a
// time one may be lost. All other is more than a hint may be wrong by.
func (p program) leads() map[int64]bool {
	all := map[int64]bool{}
	at := make([]int, len(p))
	var walk func(learnt []int64)
	walk = func(learnt []int64) {
		var l beat.Lead
		for _, late := range learnt {
			l.Learn(late)
		}
		if len(learnt) > 0 {
			all[l.For(gap)] = true
		}
		for i, mine := range p {
			from := at[i]
			for j := from; j < len(mine); j++ {
				at[i] = j + 1
				walk(append(slices.Clone(learnt), mine[j]))
			}
			at[i] = from
		}
	}
	walk(nil)
	return all
}

func (p program) check(t *testing.T, o modelcheck.Options) (tally modelcheck.Tally) {
	can, first := p.leads(), new(beat.Lead).For(gap)
	o.LockFree = true
	return modelcheck.Check(t, o, func(m *modelcheck.Model) {
		var l beat.Lead
		for _, mine := range p {
			m.Thread(func() {
				for i, late := range append(slices.Clone(mine), 0) {
					lead := l.For(gap)
					m.Assert(lead >= least && lead <= most, "a lead of %d ns", lead)
					m.Assert(can[lead] || i == 0 && lead == first,
						"a lead of %d ns, which no sleeps explain", lead)
					if i < len(mine) {
						l.Learn(late)
					}
				}
				m.Assert(l.For(6) == 1, "a lead of more than a sixth of the sleep")
			})
		}
		m.After(func() {
			m.Assert(can[l.For(gap)], "a lead of %d ns is left", l.For(gap))
		})
	})
}

// TestModelLead: whoever learns at a time, each lead is one that some of the sleeps lead to,
// between the bounds. Whoever stands still for ever, the others go on.
func TestModelLead(t *testing.T) {
	for _, p := range []program{
		{{50_000}, {900_000}},
		{{2_000_000}, {2_000_000}},
		{{0, 0}, {1_700_000, 0}},
		{{400_000, 900_000}, {900_000, 0}},
		{{0}, {700_000}, {150_000}},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			tally := p.check(t, modelcheck.Options{
				Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(1, 0), modelcheck.DPOR(0)}})
			if tally.Complete != 1 {
				t.Fatal("some executions were left out")
			}
		})
	}
	modelcheck.Drawn(func(i int, source *rand.Rand, executions int) {
		p := make(program, 2+i%2)
		for at := range p {
			for range 1 + source.IntN(3-i%2) {
				p[at] = append(p[at], source.Int64N(3_000_000)*source.Int64N(2))
			}
		}
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			p.check(t, modelcheck.Options{
				Explorers: append(modelcheck.DepthFirstUpTo(2, executions/2+1),
					modelcheck.Beyond(executions/2+1)...)})
		})
	})
}
