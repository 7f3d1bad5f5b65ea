//go:build modelcheck

package capacity_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/capacity"
)

// A program is what threads do to a Capacity: t tries to take, w takes and may block, x exceeds, l
// gives back what the thread took last, c closes.
type program struct {
	limit   int
	threads []string
}

func (p program) String() string {
	return fmt.Sprintf("%d, %s", p.limit, strings.Join(p.threads, " | "))
}

// A sleeper parks in the checker's sight: one that is never woken is a deadlock.
type sleeper struct{ p *park.Parker }

func (s sleeper) Sleep() { s.p.Park() }
func (s sleeper) Wake()  { s.p.Unpark() }

// A record says who holds what. What a thread does between two steps of the checker is not
// interleaved with anything, so the lock is never waited for; it is for the race detector.
type record struct {
	mu       sync.Mutex
	m        *modelcheck.Model
	p        program
	c        *capacity.Capacity
	held     int // by those whose taking has returned and whose Leave has not begun
	exceeded bool
	closing  bool
}

func (r *record) took() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held++
	r.m.Assert(r.exceeded || r.held <= r.p.limit, "%d are held of %d", r.held, r.p.limit)
}

func (r *record) run(script string) {
	s, holds := sleeper{park.New(park.OS)}, 0
	for _, op := range script {
		switch op {
		case 't':
			if r.c.TryTake() {
				holds++
				r.took()
			}
		case 'w':
			if r.c.Take(s) {
				holds++
				r.took()
			} else {
				r.mu.Lock()
				r.m.Assert(r.closing, "a Take fails, and nobody closes")
				r.mu.Unlock()
			}
		case 'x':
			r.mu.Lock()
			r.exceeded = true
			r.held++
			r.mu.Unlock()
			r.c.Exceed()
			holds++
		case 'l':
			if holds == 0 {
				break
			}
			holds--
			r.mu.Lock()
			r.held--
			r.mu.Unlock()
			r.c.Leave()
		case 'c':
			r.mu.Lock()
			r.closing = true
			r.mu.Unlock()
			r.c.Close()
		}
	}
}

// model runs p, in which there is room for everybody who blocks in the end.
func (p program) model(m *modelcheck.Model) {
	r := &record{m: m, p: p, c: capacity.New(p.limit)}
	for _, script := range p.threads {
		m.Thread(func() { r.run(script) })
	}
	m.After(func() {
		m.Assert(r.c.Waiting() == 0, "%d are counted as waiting, and nobody does", r.c.Waiting())
		for range p.limit - r.held {
			m.Assert(r.c.TryTake(), "room is lost")
		}
		m.Assert(!r.c.TryTake(), "there is more room than before")
	})
}

// TestModelCapacity: never more than the limit are taken, nobody sleeps while there is room or
// after the close, and nothing is lost.
func TestModelCapacity(t *testing.T) {
	t.Run("two", func(t *testing.T) {
		for _, p := range []program{
			{1, []string{"wl", "wl"}},
			{1, []string{"tl", "wl"}},
			{1, []string{"wlwl", "tl"}},
			{1, []string{"w", "tcl"}},
			{1, []string{"wc", "wc"}},
			{1, []string{"tl", "w"}},
			{1, []string{"xl", "wl"}},
			{1, []string{"tltltl", "wl"}},
			{2, []string{"ttll", "wl"}},
			{1, []string{"tl", "wlwl"}},
		} {
			t.Run(p.String(), func(t *testing.T) { explore(t, 3, modelcheck.Scaled(60_000)/16, p) })
		}
	})
	t.Run("three", func(t *testing.T) {
		for _, p := range []program{
			{1, []string{"wl", "wl", "wl"}},
			{1, []string{"tl", "wl", "wl"}},
			{1, []string{"t", "w", "c"}},
			{2, []string{"tl", "w", "w"}},
			{2, []string{"ttll", "w", "wl"}},
			{1, []string{"xl", "tl", "w"}},
		} {
			t.Run(p.String(), func(t *testing.T) { explore(t, 2, modelcheck.Scaled(60_000)/8, p) })
		}
	})
	t.Run("drawn", func(t *testing.T) {
		const programs = 40
		for i := range programs {
			rnd := rand.New(rand.NewPCG(7, uint64(i)))
			p := program{limit: 1 + rnd.IntN(2)}
			for range 2 + i%2 {
				var b strings.Builder
				for range 1 + rnd.IntN(2) {
					// Who holds one and blocks for another may wait for itself.
					b.WriteString([]string{"wl", "wl", "wl", "tl", "tl", "xl", "c"}[rnd.IntN(7)])
				}
				p.threads = append(p.threads, b.String())
			}
			t.Run(p.String(), func(t *testing.T) {
				explore(t, 1, modelcheck.Scaled(60_000)/programs, p)
			})
		}
	})
}

// explore runs all executions of p with at most so many preemptions, or n of each number of them,
// and others at random.
func explore(t *testing.T, bound, n int, p program) {
	t.Helper()
	explorers := modelcheck.DepthFirstUpTo(bound, n+1)
	tally := modelcheck.Check(t,
		modelcheck.Options{Explorers: append(explorers, modelcheck.Portfolio(n+1)...)}, p.model)
	require.GreaterOrEqual(t, tally.Bound, 0)
}
