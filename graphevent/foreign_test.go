package graphevent_test

import (
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
)

// TestChainAcrossStores: a chain that changes its store at each link completes as flat as one that
// does not, whatever its links are.
func TestChainAcrossStores(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	n := links(200_000)
	for name, link := range map[string]func(s *graphevent.Store,
		last graphevent.Event) graphevent.Event{
		"All": func(s *graphevent.Store, last graphevent.Event) graphevent.Event {
			return s.All(last)
		},
		"Any": func(s *graphevent.Store, last graphevent.Event) graphevent.Event {
			return s.Any(last)
		},
		"DontCompleteUntil": func(s *graphevent.Store, last graphevent.Event) graphevent.Event {
			e := s.NewEvent()
			e.DontCompleteUntil(last)
			e.Trigger()
			return e
		},
	} {
		t.Run(name, func(t *testing.T) {
			stores := [3]*graphevent.Store{}
			for i := range stores {
				stores[i] = graphevent.NewStore(graphevent.Options{})
			}
			for _, err := range []error{nil, errBoom} {
				first := stores[0].NewEvent()
				last := first
				for i := range n {
					last = link(stores[i%len(stores)], last)
				}
				require.True(t, end(first, err))
				require.True(t, last.IsComplete())
				require.Equal(t, err, last.Err())
			}
			for _, s := range stores {
				requireNothingLeft(t, s)
			}
		})
	}
}

// TestTasksAcrossStores: tasks of two schedulers that wait for each other's are readied, or
// skipped, by their own schedulers, which hear of everything that completes.
func TestTasksAcrossStores(t *testing.T) {
	for _, err := range []error{nil, errBoom} {
		t.Run(fmt.Sprint(err), func(t *testing.T) {
			a, b := newSched(), newSched()
			first := a.store.NewEvent()
			last := first
			var tasks []graphevent.Event
			for i := range 100 {
				s := a
				if i%2 == 0 {
					s = b
				}
				last = s.task(nil, last)
				tasks = append(tasks, last)
			}
			require.True(t, end(first, err))
			for a.step(nil) || b.step(nil) {
			}
			for _, e := range tasks {
				require.True(t, e.IsComplete())
				if err == nil {
					require.NoError(t, e.Err())
				} else {
					require.ErrorIs(t, e.Err(), err)
					require.ErrorIs(t, e.Err(), graphevent.ErrSkipped)
				}
			}
			a.requireNothingLeft(t)
			b.requireNothingLeft(t)
			require.Equal(t, int64(100), a.completed.Load()+b.completed.Load())
		})
	}
}

// TestOrderAcrossStores: what waits in another store is let go in its turn.
func TestOrderAcrossStores(t *testing.T) {
	r := &tokens{}
	s, other := graphevent.NewStore(graphevent.Options{Releaser: r}),
		graphevent.NewStore(graphevent.Options{})
	e, then := s.NewEvent(), other.NewEvent()
	var order []int
	note := func(i int) func(error) { return func(error) { order = append(order, i) } }
	e.OnComplete(note(1))
	then.DontCompleteUntil(e)
	then.Trigger()
	e.OnComplete(note(2))
	other.Any(e).OnComplete(note(4))
	then.OnComplete(note(3))
	e.OnComplete(note(2))
	e.Trigger()
	require.Equal(t, []int{1, 2, 2, 3, 4}, order)
	requireNothingLeft(t, s)
	requireNothingLeft(t, other)
}
