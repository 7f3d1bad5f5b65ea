//go:build modelcheck

package records_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/records"
)

// A program is what threads do with a pool in which so many records can be made, or many if that is
// 0: t takes one, p puts the oldest of the thread back, a looks at all, which takes too long where
// few can be made.
type program struct {
	left    uint32
	threads []string
}

func (p program) String() string {
	return fmt.Sprintf("%d left, %s", p.left, strings.Join(p.threads, " | "))
}

// A note is a record of these tests: plain, as the Put of one happens before its next Take.
type note struct {
	users atomics.Int32
	taken int
}

// A play is one execution. What a thread does between two steps of the checker is not interleaved
// with anything, so the lock is never waited for; it is for the race detector.
type play struct {
	m     *modelcheck.Model
	left  uint32
	pool  records.Pool[note]
	mu    sync.Mutex
	place map[uint32]*note // by number: where each record was first
	used  int              // by those whose Take has returned and whose Put has not begun
	trips map[uint32]int   // by number: how often it was taken
	ended int              // threads
}

func (p *play) take() (number uint32, ok bool) {
	number, record := p.pool.Take()
	p.mu.Lock()
	defer p.mu.Unlock()
	if record == nil {
		return 0, false
	}
	if p.place[number] == nil {
		p.place[number] = record
	}
	p.used++
	p.trips[number]++
	p.m.Assert(p.place[number] == record, "record %d has moved", number)
	p.m.Assert(p.left == 0 || len(p.place) <= int(p.left), "%d records are made of %d",
		len(p.place), p.left)
	return number, true
}

func (p *play) run(script string) {
	var mine []uint32
	for _, op := range script {
		switch op {
		case 't':
			n, ok := p.take()
			if !ok {
				p.m.Assert(p.left > 0, "a Take is refused")
				continue
			}
			record := p.pool.At(n)
			p.m.Assert(record.users.Add(1) == 1, "record %d has two users", n)
			record.taken++
			mine = append(mine, n)
		case 'p':
			if len(mine) == 0 {
				continue
			}
			n := mine[0]
			mine = mine[1:]
			p.pool.At(n).users.Add(-1)
			p.mu.Lock()
			p.used--
			p.mu.Unlock()
			p.pool.Put(n)
		case 'a':
			seen := map[*note]bool{}
			for record := range p.pool.All {
				p.m.Assert(record != nil && !seen[record], "All yields a record twice, or none")
				record.users.Load()
				seen[record] = true
			}
			for _, n := range mine {
				p.m.Assert(seen[p.pool.At(n)], "All misses record %d", n)
			}
		}
	}
	p.mu.Lock()
	p.ended++
	p.mu.Unlock()
}

func (b program) program(m *modelcheck.Model) {
	p := &play{m: m, left: b.left, place: map[uint32]*note{}, trips: map[uint32]int{}}
	if b.left > 0 {
		p.pool.Leave(b.left)
	}
	for _, script := range b.threads {
		m.Thread(func() { p.run(script) })
	}
	m.After(func() {
		if p.ended < len(b.threads) {
			return // one stands still
		}
		for n, record := range p.place {
			m.Assert(record.taken == p.trips[n], "record %d was taken %d times, and saw %d", n,
				p.trips[n], record.taken)
		}
		if b.left == 0 {
			return
		}
		for range int(b.left) - p.used { // nothing is lost
			_, ok := p.take()
			m.Assert(ok, "there is room for %d, and %d are in use", b.left, p.used)
		}
		_, ok := p.take()
		m.Assert(!ok, "there are more than %d", b.left)
	})
}

// TestModelPool: a record has one user at a time, keeps its place and what is in it, is seen by
// All as long as it is in use, and of as many as there can be none is lost and none made besides.
// Whoever stands still for ever, the others go on: that is asked of one in five of what is drawn,
// and takes as long as all the rest.
func TestModelPool(t *testing.T) {
	for _, p := range []program{
		{0, []string{"tpt", "tp"}},
		{0, []string{"ttp", "ta"}},
		{0, []string{"t", "a"}},
		{0, []string{"tp", "tp", "t"}},
		{1, []string{"t", "t"}},
		{1, []string{"tpt", "t"}},
		{2, []string{"tp", "t", "t"}},
	} {
		t.Run(p.String(), func(t *testing.T) {
			explorers := append(modelcheck.DepthFirstUpTo(bound(2), 0),
				modelcheck.Beyond(modelcheck.Scaled(60_000)/16)...)
			tally := modelcheck.Check(t,
				modelcheck.Options{LockFree: !race.Enabled, Explorers: explorers}, p.program)
			if tally.Bound < bound(2) {
				t.Fatal("some executions were left out")
			}
		})
	}
	modelcheck.Drawn(func(i int, source *rand.Rand, executions int) {
		p := program{left: []uint32{0, 0, 1, 2, 3}[source.IntN(5)]}
		ops := "ttttppp"
		if p.left == 0 {
			ops += "a"
		}
		for range 2 + i%2 {
			script := "t"
			for range 3 - i%2 {
				script += ops[source.IntN(len(ops)):][:1]
			}
			p.threads = append(p.threads, script)
		}
		t.Run(p.String(), func(t *testing.T) {
			explorers := slices.Concat(modelcheck.DepthFirstUpTo(bound(2), executions/2+1),
				modelcheck.Beyond(executions/2+1))
			modelcheck.Check(t, modelcheck.Options{LockFree: !race.Enabled && i%5 == 0,
				Explorers: explorers}, p.program)
		})
	})
}

// bound is how many preemptions are explored to the end: each execution takes several times as long
// under the race detector.
func bound(n int) int {
	if race.Enabled {
		return 1
	}
	return n
}
