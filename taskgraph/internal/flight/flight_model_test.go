//go:build modelcheck

package flight_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// A program is what threads do to a ring: the first writes, a record of one slot (a) or two (b);
// the others read (r).
type program struct{ threads []string }

func (p program) String() string { return strings.Join(p.threads, " | ") }

// A play is one execution. What a thread does between two steps of the checker is not interleaved
// with anything, so the lock is never waited for; it is for the race detector.
type play struct {
	mu      sync.Mutex
	m       *modelcheck.Model
	ring    *flight.Ring
	written uint64
	dropped uint64
}

func (p *play) write(script string) {
	for _, op := range script {
		n := p.ring.Put(1 + strings.IndexRune("ab", op))
		p.mu.Lock()
		p.written, p.dropped = n, p.ring.Dropped()
		p.mu.Unlock()
	}
}

func (p *play) read(script string) {
	for range script {
		p.mu.Lock()
		before, dropped := p.written, p.dropped
		p.mu.Unlock()
		numbers, wrong := p.ring.Read()
		p.m.Assert(wrong == "", "%s", wrong)
		for i := 1; i < len(numbers) && dropped == 0; i++ {
			p.mu.Lock()
			p.m.Assert(p.dropped > 0 || numbers[i] == numbers[i-1]+1, "a gap before slot %d",
				numbers[i])
			p.mu.Unlock()
		}
		if n := len(numbers); n > 0 && dropped == 0 {
			p.m.Assert(numbers[n-1] >= before, "slot %d is the last that is read, and %d was "+
				"written before", numbers[n-1], before)
		}
	}
}

func (p program) model(m *modelcheck.Model) {
	run := &play{m: m, ring: flight.NewRing(3)}
	for i, script := range p.threads {
		if i == 0 {
			m.Thread(func() { run.write(script) })
		} else {
			m.Thread(func() { run.read(script) })
		}
	}
	m.After(func() {
		m.Assert(run.ring.Readers() == 0, "%d readers are counted for ever", run.ring.Readers())
		numbers, wrong := run.ring.Read()
		m.Assert(wrong == "", "%s", wrong)
		if run.dropped == 0 {
			m.Assert(len(numbers) > 0 && numbers[len(numbers)-1] == run.written,
				"the last that is read is not the last that was written")
		}
	})
}

// TestModelFlight: what readers get is whole and without a gap, and has all that was written before
// they began.
func TestModelFlight(t *testing.T) {
	t.Run("two", func(t *testing.T) {
		for _, p := range []program{
			{[]string{"aaaa", "r"}},
			{[]string{"bbbb", "r"}},
			{[]string{"abab", "rr"}},
			{[]string{"bbbbbb", "r"}},
			{[]string{"aaaaaaaa", "r"}},
			{[]string{"bbbbbbbb", "rr"}},
		} {
			t.Run(p.String(), func(t *testing.T) { explore(t, 3, modelcheck.Scaled(60_000)/16, p) })
		}
	})
	t.Run("three", func(t *testing.T) {
		for _, p := range []program{
			{[]string{"bbb", "r", "r"}},
			{[]string{"aabb", "r", "r"}},
			{[]string{"bbbbb", "r", "r"}},
			{[]string{"bbbbbb", "r", "rr"}},
		} {
			t.Run(p.String(), func(t *testing.T) { explore(t, 2, modelcheck.Scaled(60_000)/8, p) })
		}
	})
	t.Run("drawn", func(t *testing.T) {
		const programs = 30
		for i := range programs {
			rnd := rand.New(rand.NewPCG(11, uint64(i)))
			var b strings.Builder
			for range 2 + rnd.IntN(6) {
				b.WriteByte("ab"[rnd.IntN(2)])
			}
			p := program{[]string{b.String()}}
			for range 1 + i%2 {
				p.threads = append(p.threads, strings.Repeat("r", 1+rnd.IntN(2)))
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
	require.GreaterOrEqual(t, tally.Bound, 0, fmt.Sprint(p))
}
