//go:build modelcheck

package places_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/places"
)

// A program is what threads do with a table that has so many pages left, or many if that is 0: 1, 2
// and 3 place something that needs so many pages, f frees the oldest stretch of the thread, h hides
// it for good, a looks at all, which takes too long where few are left.
type program struct {
	left    uint32
	threads []string
}

func (p program) String() string {
	return fmt.Sprintf("%d left, %s", p.left, strings.Join(p.threads, " | "))
}

// A stretch is what one Place was given.
type stretch struct {
	first uint32
	pages int
}

func (s *stretch) n() int { return (s.pages-1)*places.Page + 1 }

// size is how many pages it takes from others.
func (s *stretch) size() uint32 { return [...]uint32{1: 1, 2: 2, 3: 4}[s.pages] }

// A play is one execution. What a thread does between two steps of the checker is not interleaved
// with anything, so the lock is never waited for; it is for the race detector.
type play struct {
	m       *modelcheck.Model
	table   places.Table[stretch]
	mu      sync.Mutex
	taken   map[uint32]bool   // by page: somebody has it, or it is hidden
	given   map[uint32]uint32 // sizes of all stretches that there have been
	refused []uint32          // sizes
	ended   int               // threads
}

func (p *play) place(pages int) *stretch {
	s := &stretch{pages: pages}
	first, ok := p.table.Place(s, s.n())
	p.mu.Lock()
	defer p.mu.Unlock()
	if !ok {
		p.refused = append(p.refused, s.size())
		return nil
	}
	s.first = first
	page := first / places.Page
	p.given[page] = s.size()
	p.m.Assert(first%places.Page == 0, "a stretch begins at %d", first)
	for i := range s.size() {
		p.m.Assert(!p.taken[page+i], "page %d is given to a second one", page+i)
		p.taken[page+i] = true
	}
	return s
}

// leaves says that the thread will not use s any more, which it must say before others may have it.
func (p *play) leaves(s *stretch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range s.size() {
		delete(p.taken, s.first/places.Page+i)
	}
}

func (p *play) run(script string) {
	var mine, gone []*stretch
	for _, op := range script {
		switch op {
		case 'f', 'h':
			if len(mine) == 0 {
				continue
			}
			s := mine[0]
			mine, gone = mine[1:], append(gone, s)
			if op == 'f' {
				p.leaves(s)
				p.table.Free(s.first, s.n())
				continue
			}
			p.table.Hide(s.first, s.n())
			p.m.Assert(p.table.At(s.first) == nil, "what is hidden leads somewhere")
		case 'a':
			seen := map[*stretch]bool{}
			for s := range p.table.All {
				seen[s] = true
			}
			for _, s := range mine {
				p.m.Assert(seen[s], "All misses the stretch from %d on", s.first)
			}
			for _, s := range gone {
				p.m.Assert(!seen[s], "All yields what has no place any more")
			}
		default:
			if s := p.place(int(op - '0')); s != nil {
				mine = append(mine, s)
			}
		}
		for _, s := range mine {
			for _, at := range []int{0, s.n() - 1} {
				p.m.Assert(p.table.At(s.first+uint32(at)) == s, "index %d leads elsewhere",
					s.first+uint32(at))
			}
		}
	}
	p.mu.Lock()
	p.ended++
	p.mu.Unlock()
}

func (b program) program(m *modelcheck.Model) {
	p := &play{m: m, taken: map[uint32]bool{}, given: map[uint32]uint32{}}
	if b.left > 0 {
		p.table.Leave(b.left)
	}
	for _, script := range b.threads {
		m.Thread(func() { p.run(script) })
	}
	m.After(func() {
		if p.ended < len(b.threads) {
			return // one stands still
		}
		used := uint32(0)
		for _, size := range p.given {
			used += size
		}
		m.Assert(b.left == 0 || used <= b.left, "%d pages are given out of %d", used, b.left)
		for _, size := range p.refused {
			m.Assert(b.left > 0 && used+size > b.left,
				"one of %d pages was refused, and %d of %d have been used", size, used, b.left)
		}
	})
}

// TestModelTable: no page has two stretches, each index leads to what has it for as long as that
// has it, what is hidden stays so, and one that is refused takes nothing from a smaller one.
// Whoever stands still for ever, the others go on: that is asked of one in five of what is drawn,
// and takes as long as all the rest.
func TestModelTable(t *testing.T) {
	options := modelcheck.Options{LockFree: !race.Enabled}
	for _, p := range []program{
		{1, []string{"2", "1"}},
		{2, []string{"3", "2"}},
		{0, []string{"1f", "1"}},
		{0, []string{"1f1", "1a"}},
		{0, []string{"2f", "2a"}},
		{0, []string{"1h1", "1f"}},
		{1, []string{"1f", "1", "1"}},
	} {
		t.Run(p.String(), func(t *testing.T) {
			o := options
			o.Explorers = append(modelcheck.DepthFirstUpTo(bound(2), 0),
				modelcheck.Beyond(modelcheck.Scaled(60_000)/16)...)
			if tally := modelcheck.Check(t, o, p.program); tally.Bound < bound(2) {
				t.Fatal("some executions were left out")
			}
		})
	}
	modelcheck.Drawn(func(i int, source *rand.Rand, executions int) {
		p := program{left: []uint32{0, 0, 1, 2, 3}[source.IntN(5)]}
		for range 2 + i%2 {
			p.threads = append(p.threads, script(source, 3-i%2, p.left == 0))
		}
		t.Run(p.String(), func(t *testing.T) {
			o := modelcheck.Options{LockFree: !race.Enabled && i%5 == 0}
			o.Explorers = slices.Concat(modelcheck.DepthFirstUpTo(bound(2), executions/2+1),
				modelcheck.Beyond(executions/2+1))
			modelcheck.Check(t, o, p.program)
		})
	})
}

// script draws what a thread does: something is placed first.
func script(source *rand.Rand, n int, all bool) string {
	s := "112"[source.IntN(3):][:1]
	ops := "1123fffh"
	if all {
		ops += "a"
	}
	for range n - 1 {
		s += ops[source.IntN(len(ops)):][:1]
	}
	return s
}

// bound is how many preemptions are explored to the end: each execution takes several times as long
// under the race detector.
func bound(n int) int {
	if race.Enabled {
		return 1
	}
	return n
}
