//go:build modelcheck

package pending_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/pending"
)

// A system is what threads do to things that are pending: a begins one and leaves it pending, as if
// its time came late; b begins one, whose time comes at once; t lets the time of the last one that
// another thread has left come; c ends all.
type system struct{ threads []string }

func (p system) String() string { return strings.Join(p.threads, " | ") }

// A play is one execution. What a thread does between two steps of the checker is not interleaved
// with anything, so the lock is never waited for; it is for the race detector.
type play struct {
	mu     sync.Mutex
	m      *modelcheck.Model
	set    pending.Set[counted]
	ending atomics.Bool
	left   []*counted
	all    []*counted
}

type counted struct {
	ticket pending.Ticket
	ends   int
}

func (p *play) end(x *counted) {
	if p.set.End(&x.ticket) {
		p.mu.Lock()
		x.ends++
		p.mu.Unlock()
		p.m.Assert(p.set.Len() > 0, "nothing is pending, and one is about to end")
		p.set.Done(&x.ticket)
	}
}

func (p *play) begin() *counted {
	x := new(counted)
	p.mu.Lock()
	p.all = append(p.all, x)
	p.mu.Unlock()
	p.m.Assert(p.set.Add(x, &x.ticket), "there is no room")
	if p.ending.Load() {
		p.end(x)
	}
	return x
}

func (p *play) run(script string) {
	for _, op := range script {
		switch op {
		case 'a':
			x := p.begin()
			p.mu.Lock()
			p.left = append(p.left, x)
			p.mu.Unlock()
		case 'b':
			p.end(p.begin())
		case 't':
			p.mu.Lock()
			var x *counted
			if n := len(p.left); n > 0 {
				x, p.left = p.left[n-1], p.left[:n-1]
			}
			p.mu.Unlock()
			if x != nil {
				p.end(x)
			}
		case 'c':
			p.ending.Store(true)
			for x := range p.set.All {
				p.end(x)
			}
		}
	}
}

func (s system) model(m *modelcheck.Model) {
	p := &play{m: m}
	for _, script := range s.threads {
		m.Thread(func() { p.run(script) })
	}
	m.After(func() {
		for i, x := range p.all {
			m.Assert(x.ends == 1, "thing %d ended %d times", i, x.ends)
		}
		m.Assert(p.set.Len() == 0, "%d are pending", p.set.Len())
		for x := range p.set.All {
			m.Assert(false, "the set has %v, which is over", x)
		}
		// Every slot is free once: as many can be taken as there are, each another.
		places := map[*counted]bool{}
		for range len(p.all) + 1 {
			x := new(counted)
			m.Assert(p.set.Add(x, &x.ticket), "there is no room")
			places[x] = true
		}
		for x := range p.set.All {
			delete(places, x)
		}
		m.Assert(len(places) == 0, "two things have one slot")
	})
}

// TestModelPending: what is pending when all has to end, or begins later, ends, and once.
func TestModelPending(t *testing.T) {
	for bound, systems := range map[int][]system{
		3: {{[]string{"a", "c"}}, {[]string{"b", "c"}}, {[]string{"aa", "c"}},
			{[]string{"aba", "c"}}, {[]string{"bb", "bbc"}}},
		2: {{[]string{"a", "c", "t"}}, {[]string{"a", "a", "c"}}, {[]string{"ab", "t", "c"}},
			{[]string{"b", "ba", "c"}}, {[]string{"a", "tb", "c"}}},
	} {
		for _, s := range systems {
			t.Run(s.String(), func(t *testing.T) {
				n := modelcheck.Scaled(60_000) / 10
				explorers := modelcheck.DepthFirstUpTo(bound, n+1)
				tally := modelcheck.Check(t,
					modelcheck.Options{Explorers: append(explorers, modelcheck.Portfolio(n+1)...)},
					s.model)
				require.Positive(t, tally.Executions, fmt.Sprint(bound))
			})
		}
	}
}
