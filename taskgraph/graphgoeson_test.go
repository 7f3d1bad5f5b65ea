package taskgraph_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// graphChain returns a chain of n tasks that call f with their number. A name makes it one that is
// run with more care.
func graphChain(t *testing.T, n int, careful bool, f func(i int)) *taskgraph.Graph {
	var b taskgraph.GraphBuilder
	b.Grow(n, n)
	i := 0
	body := taskgraph.Do(func() {
		f(i % n)
		i++
	})
	last := b.Task(body)
	if careful {
		last.Name("first")
	}
	for range n - 1 {
		last = b.Task(body).After(last)
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// A chain is run by one worker, and nobody is woken for its next link, however long it is.
func TestGraphChainWakesNobody(t *testing.T) {
	links := brief(200_000, 50_000)
	for _, careful := range []bool{false, true} {
		s := startUnwatched(t, taskgraph.Options{Workers: 4})
		wakes := func() uint64 { st := s.Stats(); return st.KernelWakes + st.DrowseWakes }
		var before, after uint64
		g := graphChain(t, links, careful, func(i int) {
			switch i {
			case 0:
				for s.Active() > 1 { // or who looks for work already need not be woken
					runtime.Gosched()
				}
				before = wakes()
			case links - 1:
				after = wakes()
			}
		})
		// A worker that was woken earlier may still be about to look for work.
		for try, quiet := 0, 0; quiet < 3; try++ {
			require.Less(t, try, 100, "careful: %v; %d wakes in the last of them", careful,
				after-before)
			wait(t, s, s.LaunchGraph(g))
			if after == before {
				quiet++
			}
		}
	}
}

// Who goes on along a chain leaves others their turn: what is urgent at once, and shared work of
// the same level after a while.
func TestGraphChainGivesWay(t *testing.T) {
	const links, at = 200_000, 1000
	for _, careful := range []bool{false, true} {
		s := startUnwatched(t, taskgraph.Options{Workers: 1})
		var now, urgent, usual atomics.Int64
		var events []taskgraph.Event
		g := graphChain(t, links, careful, func(i int) {
			now.Store(int64(i))
			if i == at {
				note := func(where *atomics.Int64) taskgraph.Body {
					return taskgraph.Do(func() { where.Store(now.Load()) })
				}
				events = append(events, s.Task(note(&usual)).Launch(),
					s.Task(note(&urgent)).Priority(taskgraph.PriorityHigh).Launch())
			}
		})
		wait(t, s, s.LaunchGraph(g))
		wait(t, s, events...)
		require.EqualValues(t, at, urgent.Load(), "careful: %v", careful)
		require.Less(t, usual.Load(), int64(links/2), "careful: %v", careful)
	}
}
