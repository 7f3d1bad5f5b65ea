//go:build modelcheck

package gates_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/gates"
)

// A gateProgram is what threads do to a gate: e enters a node, l gives a place back that the
// thread holds, t tries to take one.
type gateProgram struct {
	places  int
	setUp   string // what it leaves held is the first thread's
	threads []string
}

func (p gateProgram) String() string {
	return fmt.Sprintf("%d places, %s before, %s", p.places, p.setUp,
		strings.Join(p.threads, " | "))
}

// A gateRecord says what happened. What a thread does between two steps of the checker is not
// interleaved with anything, so the lock is never waited for; it is for the race detector.
type gateRecord struct {
	mu   sync.Mutex
	m    *modelcheck.Model
	p    gateProgram
	g    *gates.Gate
	time int
	next entry.Entry

	began, ended, through map[entry.Entry]int // times of Enter, and of coming through
	used                  map[uint32]bool
}

type gatePlace struct {
	node  entry.Entry // 0: taken by TryTake
	place uint32
}

func (r *gateRecord) tick() int { r.time++; return r.time }

// got notes that a place was given to n.
func (r *gateRecord) got(held []gatePlace, n entry.Entry, place uint32) []gatePlace {
	r.m.Assert(len(r.used) < r.p.places && int(place) < r.p.places && !r.used[place],
		"place %d is given to node %d, and others are in %v", place, n, r.used)
	r.used[place] = true
	if n != 0 {
		r.m.Assert(r.through[n] == 0 && r.began[n] != 0,
			"node %d comes through, though it has not entered or came through before", n)
		r.through[n] = r.tick()
	}
	return append(held, gatePlace{n, place})
}

// run makes the calls of one thread, and returns what it holds in the end.
func (r *gateRecord) run(script string, held []gatePlace) []gatePlace {
	for _, op := range script {
		r.mu.Lock()
		switch op {
		case 'e':
			r.next++
			n := r.next
			r.began[n] = r.tick()
			r.mu.Unlock()
			m, place, ok := r.g.Enter(n)
			r.mu.Lock()
			r.ended[n] = r.tick()
			if ok {
				held = r.got(held, m, place)
			}
		case 'l':
			if len(held) == 0 {
				break
			}
			old := held[0]
			held = held[1:]
			delete(r.used, old.place)
			r.mu.Unlock()
			m, place, ok := r.g.Leave(old.place)
			r.mu.Lock()
			if ok {
				held = r.got(held, m, place)
			}
		case 't':
			r.mu.Unlock()
			place, ok := r.g.TryTake()
			r.mu.Lock()
			if ok {
				held = r.got(held, 0, place)
			}
		}
		r.mu.Unlock()
	}
	return held
}

// program returns p as a program for the checker.
func (p gateProgram) program(m *modelcheck.Model) {
	r := &gateRecord{
		m: m, p: p, g: gates.New(p.places, true),
		began: map[entry.Entry]int{}, ended: map[entry.Entry]int{}, through: map[entry.Entry]int{},
		used: map[uint32]bool{},
	}
	held := make([][]gatePlace, len(p.threads))
	held[0] = r.run(p.setUp, nil)
	for i, script := range p.threads {
		m.Thread(func() { held[i] = r.run(script, held[i]) })
	}
	m.After(func() {
		waiting := int(r.next) - len(r.through)
		m.Assert(waiting == 0 || len(r.used) == p.places,
			"%d nodes wait, and %d of %d places are taken", waiting, len(r.used), p.places)
		var rest []gatePlace
		for _, h := range held {
			rest = append(rest, h...)
		}
		for len(rest) > 0 {
			rest = r.run("l", rest)
		}
		m.Assert(len(r.through) == int(r.next), "only %d of %d nodes came through", len(r.through),
			r.next)
		for a := range r.through {
			for b := range r.through {
				m.Assert(p.places > 1 || r.ended[a] > r.began[b] || r.through[a] < r.through[b],
					"node %d came before %d and gets through after it", a, b)
			}
		}
		m.Assert(len(r.run(strings.Repeat("t", p.places+1), nil)) == p.places, "places are lost")
	})
}

// TestModelGate: never more nodes than places are inside, none waits while a place is free, each
// comes through once, and those of a gate with one place in their order.
func TestModelGate(t *testing.T) {
	t.Run("complete", func(t *testing.T) {
		for _, p := range []gateProgram{
			{1, "", []string{"el", "el"}},
			{1, "e", []string{"l", "e"}},
			{1, "e", []string{"l", "ee"}},
			{1, "ee", []string{"l", "e"}},
			{1, "t", []string{"l", "et"}},
			{1, "e", []string{"ll", "te"}},
			{2, "", []string{"e", "ee"}},
			{2, "e", []string{"l", "te"}},
			{2, "", []string{"e", "eel"}},
			{2, "ee", []string{"ll", "e"}},
			{2, "eee", []string{"l", "t"}},
			{1, "", []string{"t", "e", "t"}},
		} {
			t.Run(p.String(), func(t *testing.T) { modelcheck.CheckAll(t, p.program) })
		}
	})
	t.Run("three", func(t *testing.T) {
		for _, p := range []gateProgram{
			{1, "e", []string{"l", "e", "e"}},
			{1, "e", []string{"l", "e", "t"}},
			{2, "e", []string{"l", "e", "t"}},
			{1, "", []string{"el", "el", "el"}},
			{2, "ee", []string{"ll", "e", "e"}},
			{2, "e", []string{"l", "ee", "t"}},
			{3, "", []string{"e", "e", "e"}},
			{3, "", []string{"e", "t", "t"}},
		} {
			t.Run(p.String(), func(t *testing.T) {
				modelcheck.CheckUpTo(t, 2, race.Enabled, p.program)
			})
		}
	})
	t.Run("drawn", modelDrawnGates)
}

// modelDrawnGates draws programs. MODELCHECK_PROGRAMS says how many.
func modelDrawnGates(t *testing.T) {
	modelcheck.Drawn(func(i int, rnd *rand.Rand, n int) {
		draw := func(n int) string {
			var b strings.Builder
			for range n {
				b.WriteByte("eeelllt"[rnd.IntN(7)])
			}
			return b.String()
		}
		p := gateProgram{places: 1 + rnd.IntN(2), setUp: strings.Repeat("e", rnd.IntN(4))}
		threads, ops := 2, 3
		if i%2 == 1 {
			threads, ops = 3, 2
		}
		for range threads {
			p.threads = append(p.threads, draw(ops))
		}
		n++
		t.Run(p.String(), func(t *testing.T) {
			if threads == 2 {
				modelcheck.CheckAll(t, p.program)
				return
			}
			modelcheck.Check(t, modelcheck.Options{Explorers: append([]modelcheck.Explorer{
				modelcheck.DepthFirst(0, 0), modelcheck.DepthFirst(1, n),
				modelcheck.DepthFirst(2, n),
			}, modelcheck.Beyond(n)...)}, p.program)
		})
	})
}
