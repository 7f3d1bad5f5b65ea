//go:build modelcheck

package graphevent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// A cacheProgram is what threads do with the free nodes of a store, a letter each: t takes a node
// by the thread's cache, T by none, p and P give back the oldest that the thread has. The first
// threads begin with a full cache and one node more, so that p gives a batch to the store.
type cacheProgram struct {
	full    int
	threads []string
}

func (b cacheProgram) String() string {
	return fmt.Sprintf("%d full, %s", b.full, strings.Join(b.threads, " | "))
}

func (b cacheProgram) program(model *modelcheck.Model) {
	m := &play{Model: model}
	s := graphevent.NewStore(graphevent.Options{})
	caches := make([]graphevent.Cache, len(b.threads)+1)
	rest := &caches[len(b.threads)]
	held := make([][]graphevent.Node, len(b.threads))
	for i := range b.full {
		var nodes []graphevent.Node
		for range graphevent.CacheSize {
			nodes = append(nodes, s.Acquire(rest))
		}
		for _, n := range nodes {
			s.Discard(n, &caches[i])
		}
		held[i] = append(held[i], s.Acquire(rest))
	}
	for i, script := range b.threads {
		m.Thread(func() {
			for _, op := range script {
				c := &caches[i]
				if op == 'T' || op == 'P' {
					c = nil
				}
				if op == 't' || op == 'T' {
					held[i] = append(held[i], s.Acquire(c))
				} else {
					s.Discard(held[i][0], c)
					held[i] = held[i][1:]
				}
			}
		})
	}
	m.After(func() {
		seen := map[graphevent.Node]bool{0: true}
		see := func(n graphevent.Node) {
			m.Assert(!seen[n], "node %d is in two places, or is 0", n)
			seen[n] = true
		}
		for i := range held {
			for _, n := range held[i] {
				see(n)
			}
		}
		for i := range caches {
			for caches[i].Len() > 0 {
				see(s.Acquire(&caches[i]))
			}
		}
		made, free := s.Nodes()
		for range free {
			see(s.Acquire(nil))
		}
		m.Assert(len(seen) == 1+made, "%d nodes are made, and %d are there", made, len(seen)-1)
	})
}

// TestModelCache: nodes that are made, and those that caches give to the store one by one or by the
// batch, go to one taker each, and none is lost.
func TestModelCache(t *testing.T) {
	for _, b := range []cacheProgram{
		{0, []string{"t", "t"}},
		{0, []string{"t", "T"}},
		{0, []string{"TP", "T"}},
		{0, []string{"tP", "t"}},
		{1, []string{"p", "t"}},
		{1, []string{"p", "T"}},
		{1, []string{"ptP", "t"}},
		{2, []string{"p", "p", "t"}},
		{2, []string{"p", "p", "T"}},
		{1, []string{"p", "t", "T"}},
	} {
		t.Run(b.String(), func(t *testing.T) {
			n := modelcheck.Scaled(2_000)
			if race.Enabled {
				n /= 4
			}
			tally := modelcheck.Check(t, modelcheck.Options{
				Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(1, 0), modelcheck.DPOR(n),
					modelcheck.PCT(3, n)}}, b.program)
			require.GreaterOrEqual(t, tally.Bound, 1)
		})
	}
}
